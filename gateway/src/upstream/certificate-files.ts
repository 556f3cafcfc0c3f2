import { X509Certificate } from 'node:crypto'
import type { Logger } from '@llm-gateway/conf'
import { codeOf, failureFields, readSettingFile, SettingFileError } from '../setting-file.ts'

export type CertificateFiles = {
  /** PEM texts; a new array after each change. */
  readonly current: readonly string[]
  close(): void
}

const pollMs = 1_000

/**
 * Starts following the certificates of tls.outbound.cert_files. Changed files are loaded in place, and unusable files
 * leave the old certificates in force (docs/reference/configuration-rules.md#reload). Rejects where the first files are
 * unreadable.
 */
export async function startCertificateFiles(files: readonly string[], logger: Logger): Promise<CertificateFiles> {
  let current = await readAll(files)
  let lastFailure = ''
  let isReading = false
  // The files are polled: they are small, and symlinks of mounted Secrets defeat watchers.
  const timer = files.length === 0 ? undefined : setInterval(() => void reloadChanged(), pollMs)
  timer?.unref()
  return {
    get current() {
      return current
    },
    close: () => clearInterval(timer),
  }

  /** Reloads changed files. Never rejects: a failure is logged once and tried again. */
  async function reloadChanged(): Promise<void> {
    // A share that hangs must not take one more of the process's few file threads every second.
    if (isReading) return
    isReading = true
    try {
      const next = await readAll(files)
      if (next.every((text, index) => text === current[index])) {
        lastFailure = ''
        return
      }
      for (const [index, text] of next.entries()) checkCertificate(text, fieldOf(index), files[index] ?? '')
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

function readAll(files: readonly string[]): Promise<readonly string[]> {
  return Promise.all(files.map((file, index) => readSettingFile(fieldOf(index), file)))
}

function checkCertificate(text: string, field: string, file: string): void {
  try {
    new X509Certificate(text)
  } catch (error) {
    throw new SettingFileError(codeOf(error) ?? 'INVALID', field, file)
  }
}

function fieldOf(index: number): string {
  return `tls.outbound.cert_files[${index}]`
}
