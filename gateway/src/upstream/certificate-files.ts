import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Logger } from '@llm-gateway/conf'

export type CertificateFiles = {
  /** PEM texts; a new array when one changed. */
  readonly current: readonly string[]
  close(): void
}

const pollMs = 1_000

/**
 * The files of tls.outbound.cert_files. Files whose content changes are loaded again in place (wire, 5); ones that can't
 * be used leave the old ones in force. Rejects where the first ones can't be read.
 */
export async function startCertificateFiles(files: readonly string[], logger: Logger): Promise<CertificateFiles> {
  let current = await readAll(files)
  let told = ''
  // Polled: the files are small, and symlinks of mounted Secrets defeat watchers.
  const timer = files.length === 0 ? undefined : setInterval(() => void look(), pollMs)
  timer?.unref()
  return {
    get current() {
      return current
    },
    close: () => clearInterval(timer),
  }

  /** Never rejects: what fails is logged once and tried again. */
  async function look(): Promise<void> {
    try {
      const next = await readAll(files)
      if (next.every((text, index) => text === current[index])) return
      for (const text of next) new X509Certificate(text)
      current = next
      told = ''
      logger.info({}, 'certificate reloaded')
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'INVALID'
      if (code !== told) logger.warn({ code }, 'certificate not reloaded')
      told = code
    }
  }
}

function readAll(files: readonly string[]): Promise<readonly string[]> {
  return Promise.all(files.map((file) => readFile(file, 'utf8')))
}
