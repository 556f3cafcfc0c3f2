import { Worker } from 'node:worker_threads'
import { SAMPLE_LENGTH, scaledCount } from './sample.ts'

export type Estimator = {
  /** About how many tokens a text has (cl100k_base); never rejects. */
  estimate(text: string): Promise<number>
  close(): Promise<void>
}

type Waiting = (tokens: number | undefined) => void

const DEFAULT_IDLE_MS = 60_000
/** Texts that may wait to be counted; beyond that the rule of thumb must do. */
const MAX_WAITING = 256
const CHARACTERS_PER_TOKEN = 4

/** Counts in a thread that is started when the first text comes and ended, with its 120 MB, when none came for a while. */
export function createEstimator(options: { readonly idleMs?: number } = {}): Estimator {
  const idleMs = options.idleMs ?? DEFAULT_IDLE_MS
  /** The thread answers in the order it is asked. */
  const waiting: Waiting[] = []
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined

  const end = async (): Promise<void> => {
    clearTimeout(idle)
    const ended = worker
    worker = undefined
    for (const resolve of waiting.splice(0)) resolve(undefined)
    await ended?.terminate()
  }
  const start = (): Worker => {
    const started = new Worker(new URL('./encoding-worker.ts', import.meta.url))
    started.unref()
    started.on('message', (tokens: unknown) => {
      waiting.shift()?.(typeof tokens === 'number' ? tokens : undefined)
      if (waiting.length === 0) idle = setTimeout(() => void end(), idleMs).unref()
    })
    // A thread that fails is replaced by the next text's, and what waited for it is estimated by the rule of thumb.
    started.on('error', () => void end())
    return started
  }
  const count = async (sample: string): Promise<number | undefined> => {
    if (waiting.length >= MAX_WAITING) return undefined
    clearTimeout(idle)
    worker ??= start()
    worker.postMessage(sample)
    return await new Promise((resolve) => waiting.push(resolve))
  }

  return {
    estimate: async (text) => {
      if (text === '') return 0
      const tokens = await count(text.slice(0, SAMPLE_LENGTH))
      return tokens === undefined ? Math.ceil(text.length / CHARACTERS_PER_TOKEN) : scaledCount(tokens, text.length)
    },
    close: end,
  }
}
