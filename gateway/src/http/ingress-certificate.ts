import { readFile } from 'node:fs/promises'
import type { GlSettings, Logger } from '@llm-gateway/conf'
import type { Certificate } from './server.ts'

export type IngressCertificate = {
  readonly current: Certificate
  onChange(listener: (next: Certificate) => void): void
  close(): void
}

const pollMs = 1_000

/**
 * The files of tls.ingress; undefined where it is off. Files whose content changes are loaded again in place (wire, 5);
 * ones that can't be used leave the old certificate in force. Rejects where the first ones can't be read.
 */
export async function startIngressCertificate(
  settings: GlSettings['tls']['ingress'],
  logger: Logger,
): Promise<IngressCertificate | undefined> {
  if (!settings.enabled) return undefined
  let current = await readCertificate(settings)
  const listeners: ((next: Certificate) => void)[] = []
  // Polled: the files are small, and symlinks of mounted Secrets defeat watchers.
  const timer = setInterval(() => void look(), pollMs)
  timer.unref()
  return {
    get current() {
      return current
    },
    onChange: (listener) => listeners.push(listener),
    close: () => clearInterval(timer),
  }

  /** Never rejects: what fails is logged and tried again. */
  async function look(): Promise<void> {
    try {
      const next = await readCertificate(settings)
      if (next.cert === current.cert && next.key === current.key) return
      for (const listener of listeners) listener(next)
      current = next
      logger.info({}, 'certificate reloaded')
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : 'INVALID'
      logger.warn({ code }, 'certificate not reloaded')
    }
  }
}

async function readCertificate(settings: GlSettings['tls']['ingress']): Promise<Certificate> {
  const [cert, key] = await Promise.all([
    readFile(settings.certificate_file, 'utf8'),
    readFile(settings.private_key_file, 'utf8'),
  ])
  // A file that is just being written: no context would be made of it, and no handshake would succeed.
  if (cert.trim() === '' || key.trim() === '') throw Object.assign(new Error('empty'), { code: 'EMPTY' })
  return { cert, key }
}
