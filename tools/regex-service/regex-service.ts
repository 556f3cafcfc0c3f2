import type { Logger } from '@llm-gateway/conf'

export type RegexServiceDependencies = {
  readonly isReady: () => Promise<boolean>
  readonly logger: Pick<Logger, 'info'>
  readonly pause: () => Promise<void>
  /** Replaces this process by the processor's program; returns only when that fails. */
  readonly replaceProcess: (args: readonly string[]) => void
}

/**
 * Runs the regex processor as a service that doesn't delay the others: reports its start at once, waits for re2's
 * native addon, whose build may take minutes, and then becomes the processor. Returns an exit code if it doesn't become
 * the processor.
 */
export async function regexService(args: readonly string[], dependencies: RegexServiceDependencies): Promise<number> {
  const validates = args.includes('--validate')
  // The supervisor's `healthy_output`.
  if (!validates) dependencies.logger.info({}, 'processor starts once re2 is there')
  for (let waited = false; !(await dependencies.isReady()); waited = true) {
    // Patterns can't be checked without re2; the program checks them at its start.
    if (validates) return 0
    if (!waited) dependencies.logger.info({}, 'processor waits for re2 to be built')
    await dependencies.pause()
  }
  dependencies.replaceProcess(args)
  return 1
}
