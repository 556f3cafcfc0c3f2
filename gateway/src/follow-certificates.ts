import type { Logger } from '@llm-gateway/conf'
import { failureFields } from './setting-file.ts'

const POLL_MS = 1_000

export type CertificateTexts = {
  /** PEM texts; a new array after each change. */
  readonly current: readonly string[]
  close(): void
}

/**
 * Starts following certificate files, which `read` reads. `take` gets changed texts and throws where they can't be used:
 * then the old ones stay in force (docs/reference/configuration-rules.md#reload). Rejects where the first files are
 * unreadable.
 */
export async function followCertificates(
  read: () => Promise<readonly string[]>,
  take: (texts: readonly string[]) => void,
  logger: Logger,
): Promise<CertificateTexts> {
  let current = await read()
  let lastFailure = ''
  let isReading = false
  // The files are polled: they are small, and symlinks of mounted Secrets defeat watchers.
  const timer = setInterval(() => void reloadChanged(), POLL_MS).unref()
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
      const next = await read()
      if (next.some((text, index) => text !== current[index])) {
        take(next)
        current = next
        logger.info({}, 'certificate reloaded')
      }
      lastFailure = ''
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
