import { createThread, type Logger, ThreadError } from '@llm-gateway/sdk'
import type { CountedText } from './large-reading.ts'
import { RouterTurns } from './router-turns.ts'
import { SAMPLE_LENGTH, scaledCount } from './sample.ts'

export type Estimator = {
  /** Estimates the tokens (cl100k_base) of a router's text from its beginning. The routers take turns. Never rejects. */
  estimate(text: CountedText, router: string): Promise<number>
  close(): Promise<void>
}

export type EstimatorOptions = {
  readonly logger: Pick<Logger, 'warn'>
  readonly idleMs?: number
}

const DEFAULT_IDLE_MS = 60_000
/**
 * The maximum of waiting texts. Beyond that the router with the most waiting texts loses its newest: it is not counted,
 * and four of its characters count as one token.
 */
const MOST_WAITING = 256
/** The texts with the thread: one that it counts, and the next, for which it need not wait. */
const PLACES = 2
/** Includes the wait for the router's turn and the loading of the encoding. */
const TIMEOUT_MS = 30_000
const CHARACTERS_PER_TOKEN = 4

/** Counts in a thread that the first text starts. The thread takes 120 MB and ends after a while without texts. */
export function createEstimator({ logger, idleMs = DEFAULT_IDLE_MS }: EstimatorOptions): Estimator {
  const program = new URL('./encoding-thread.ts', import.meta.url)
  const thread = createThread({ program, name: 'encoding', logger, idleMs })
  const turns = new RouterTurns({ places: PLACES, waiting: MOST_WAITING })
  const count = async (sample: string, router: string): Promise<number | undefined> => {
    const end = performance.now() + TIMEOUT_MS
    if (!(await turns.enter(router))) return undefined
    try {
      const timeoutMs = end - performance.now()
      const tokens = timeoutMs > 0 ? await thread.ask(sample, { weight: 1, timeoutMs }) : undefined
      return typeof tokens === 'number' ? tokens : undefined
    } catch (error) {
      // The caller counts four characters a token; the lost thread is logged.
      if (error instanceof ThreadError) return undefined
      throw error
    } finally {
      turns.leave()
    }
  }
  return {
    estimate: async ({ beginning, length }, router) => {
      if (length === 0) return 0
      const tokens = await count(beginning.slice(0, SAMPLE_LENGTH), router)
      return tokens === undefined ? Math.ceil(length / CHARACTERS_PER_TOKEN) : scaledCount(tokens, length)
    },
    close: () => thread.close(),
  }
}
