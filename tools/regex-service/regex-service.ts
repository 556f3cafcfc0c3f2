import type { Logger } from '@llm-gateway/conf'

export type RegexServiceDoors = {
  readonly isReady: () => Promise<boolean>
  readonly logger: Pick<Logger, 'info'>
  readonly pause: () => Promise<void>
  /** Turns into the processor's program with these arguments; returns only where that can't be. */
  readonly become: (args: readonly string[]) => void
}

/**
 * The regex processor as a service that never holds up the others: it says at once that it starts, waits until re2's native
 * addon is there, which may take minutes to build, and then is the processor. Answers an exit code where it did not become it.
 */
export async function regexService(args: readonly string[], doors: RegexServiceDoors): Promise<number> {
  const validates = args.includes('--validate')
  // The supervisor's healthy_output.
  if (!validates) doors.logger.info({}, 'processor starts once re2 is there')
  for (let waited = false; !(await doors.isReady()); waited = true) {
    // Nothing here can judge a pattern yet; the program will when it starts.
    if (validates) return 0
    if (!waited) doors.logger.info({}, 'processor waits for re2 to be built')
    await doors.pause()
  }
  doors.become(args)
  return 1
}
