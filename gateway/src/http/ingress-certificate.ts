import type { GlSettings, Logger } from '@llm-gateway/conf'
import { failureFields, readSettingFile, SettingFileError } from '../setting-file.ts'
import type { Certificate } from './server.ts'

export type IngressCertificate = {
  readonly current: Certificate
  onChange(listener: (next: Certificate) => void): void
  close(): void
}

const pollMs = 1_000

/**
 * Starts following the certificate of tls.ingress; returns undefined where TLS is off. Changed files are loaded in
 * place, and unusable files leave the old certificate in force (docs/reference/configuration-rules.md#reload). Rejects
 * where the first files are unreadable.
 */
export async function startIngressCertificate(
  settings: GlSettings['tls']['ingress'],
  logger: Logger,
): Promise<IngressCertificate | undefined> {
  if (!settings.enabled) return undefined
  let current = await readCertificate(settings)
  let lastFailure = ''
  let isReading = false
  const listeners: ((next: Certificate) => void)[] = []
  // The files are polled: they are small, and symlinks of mounted Secrets defeat watchers.
  const timer = setInterval(() => void reloadChanged(), pollMs)
  timer.unref()
  return {
    get current() {
      return current
    },
    onChange: (listener) => listeners.push(listener),
    close: () => clearInterval(timer),
  }

  /** Reloads changed files. Never rejects: a failure is logged once and tried again. */
  async function reloadChanged(): Promise<void> {
    // A share that hangs must not take one more of the process's few file threads every second.
    if (isReading) return
    isReading = true
    try {
      const next = await readCertificate(settings)
      if (next.cert === current.cert && next.key === current.key) {
        lastFailure = ''
        return
      }
      // A listener throws where the key doesn't belong to the certificate; `current` then stays.
      for (const listener of listeners) listener(next)
      current = next
      lastFailure = ''
      logger.info({}, 'certificate reloaded')
    } catch (error) {
      const failure = failureFields(error, 'INVALID')
      const failureText = JSON.stringify(failure)
      if (failureText !== lastFailure)
        logger.warn(failure, 'certificate could not be reloaded; the previous one stays in use')
      lastFailure = failureText
    } finally {
      isReading = false
    }
  }
}

async function readCertificate(settings: GlSettings['tls']['ingress']): Promise<Certificate> {
  // The files are read one after the other, so that with both missing the error names the certificate.
  const cert = await readWritten('tls.ingress.certificate_file', settings.certificate_file)
  const key = await readWritten('tls.ingress.private_key_file', settings.private_key_file)
  return { cert, key }
}

/** Reads a file and rejects an empty file, which is still being written and would break every handshake. */
async function readWritten(field: string, file: string): Promise<string> {
  const text = await readSettingFile(field, file)
  if (text.trim() === '') throw new SettingFileError('EMPTY', field, file)
  return text
}
