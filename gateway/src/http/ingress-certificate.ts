import type { GlSettings, Logger } from '@llm-gateway/conf'
import { followCertificates } from '../follow-certificates.ts'
import { readSettingFile, SettingFileError } from '../setting-file.ts'
import type { Certificate } from './server.ts'

export type IngressCertificate = {
  readonly current: Certificate
  /** A listener throws where the key doesn't belong to the certificate; the previous one then stays in force. */
  onChange(listener: (next: Certificate) => void): void
  close(): void
}

/**
 * Starts following the certificate of tls.ingress; returns undefined where TLS is off. Rejects where the first files are
 * unreadable.
 */
export async function startIngressCertificate(
  settings: GlSettings['tls']['ingress'],
  logger: Logger,
): Promise<IngressCertificate | undefined> {
  if (!settings.enabled) return undefined
  const listeners: ((next: Certificate) => void)[] = []
  const take = (texts: readonly string[]): void => {
    for (const listener of listeners) listener(certificateOf(texts))
  }
  const files = await followCertificates(() => readBoth(settings), take, logger)
  return {
    get current() {
      return certificateOf(files.current)
    },
    onChange: (listener) => listeners.push(listener),
    close: () => files.close(),
  }
}

function certificateOf([cert = '', key = '']: readonly string[]): Certificate {
  return { cert, key }
}

async function readBoth(settings: GlSettings['tls']['ingress']): Promise<readonly string[]> {
  // The files are read one after the other, so that with both missing the error names the certificate.
  const cert = await readWritten('tls.ingress.certificate_file', settings.certificate_file)
  const key = await readWritten('tls.ingress.private_key_file', settings.private_key_file)
  return [cert, key]
}

/** Reads a file and rejects an empty file, which is still being written and would break every handshake. */
async function readWritten(field: string, file: string): Promise<string> {
  const text = await readSettingFile(field, file)
  if (text.trim() === '') throw new SettingFileError('EMPTY', field, file)
  return text
}
