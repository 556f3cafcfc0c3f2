import { createThread, type Logger, ThreadError } from '@llm-gateway/sdk'
import { SAMPLE_LENGTH, scaledCount } from './sample.ts'

export type Estimator = {
  /** Estimates the tokens (cl100k_base) of a text of `length` characters from its beginning. Never rejects. */
  estimate(beginning: string, length?: number): Promise<number>
  close(): Promise<void>
}

export type EstimatorOptions = {
  readonly logger: Pick<Logger, 'warn'>
  readonly idleMs?: number
}

const DEFAULT_IDLE_MS = 60_000
/** The maximum of waiting texts; for further texts a token counts as four characters. */
const MOST_WAITING = 256
/** Includes the loading of the encoding. */
const TIMEOUT_MS = 30_000
const CHARACTERS_PER_TOKEN = 4

/** Counts in a thread that the first text starts. The thread takes 120 MB and ends after a while without texts. */
export function createEstimator({ logger, idleMs = DEFAULT_IDLE_MS }: EstimatorOptions): Estimator {
  const program = new URL('./encoding-thread.ts', import.meta.url)
  const thread = createThread({ program, name: 'encoding', logger, idleMs, waiting: MOST_WAITING })
  const count = async (sample: string): Promise<number | undefined> => {
    try {
      const tokens = await thread.ask(sample, { weight: sample.length, timeoutMs: TIMEOUT_MS })
      return typeof tokens === 'number' ? tokens : undefined
    } catch (error) {
      // The caller counts four characters a token; the lost thread is logged.
      if (error instanceof ThreadError) return undefined
      throw error
    }
  }
  return {
    estimate: async (beginning, length = beginning.length) => {
      if (length === 0) return 0
      const tokens = await count(beginning.slice(0, SAMPLE_LENGTH))
      return tokens === undefined ? Math.ceil(length / CHARACTERS_PER_TOKEN) : scaledCount(tokens, length)
    },
    close: () => thread.close(),
  }
}
