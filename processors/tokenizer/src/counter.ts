import { Worker } from 'node:worker_threads'
import type { Logger } from '@llm-gateway/sdk'
import type { TextCount } from './count-text.ts'
import type { EncodingName } from './encodings.ts'

export type CountRequest = { readonly texts: readonly string[]; readonly encodings: readonly EncodingName[] }
/** The sum over the texts for each of the request's encodings, in their order. */
export type CountReply = readonly TextCount[]

export type Counter = {
  /** Undefined where the texts could not be counted: too many wait, or counting them failed or took too long. Never rejects. */
  count(request: CountRequest): Promise<CountReply | undefined>
  close(): Promise<void>
}

export type CounterOptions = {
  readonly logger: Pick<Logger, 'warn'>
  readonly startThread?: () => Worker
  /** What the thread may take for one request, the loading of its encodings included. */
  readonly timeoutMs?: number
  /** Requests that may wait, and the characters of their texts together. */
  readonly maxWaiting?: number
  readonly maxWaitingCharacters?: number
}

type Job = {
  readonly request: CountRequest
  readonly characters: number
  readonly settle: (reply: CountReply | undefined) => void
}

const DEFAULT_TIMEOUT_MS = 5_000
const DEFAULT_MAX_WAITING = 256
const DEFAULT_MAX_WAITING_CHARACTERS = 32 * 1024 * 1024

/**
 * Counts in a thread, one request after the other, so that no text holds up the program. A thread that fails, or does not
 * answer in time, costs the request it was at; a new one is started for the next.
 */
export function createCounter(options: CounterOptions): Counter {
  const { logger, startThread = countingThread, timeoutMs = DEFAULT_TIMEOUT_MS } = options
  const { maxWaiting = DEFAULT_MAX_WAITING, maxWaitingCharacters = DEFAULT_MAX_WAITING_CHARACTERS } = options
  const waiting: Job[] = []
  let waitingCharacters = 0
  let thread: Worker | undefined
  let current: { readonly job: Job; readonly timer: NodeJS.Timeout } | undefined

  const settle = (reply: CountReply | undefined): void => {
    clearTimeout(current?.timer)
    const job = current?.job
    current = undefined
    job?.settle(reply)
  }
  const lose = (lost: Worker, reason: string): void => {
    // A thread that failed also exits, and one that is ended here has been replaced already.
    if (lost !== thread) return
    thread = undefined
    logger.warn({ reason }, 'counting thread ended')
    void lost.terminate() // Resolves with an exit code, whatever the thread is at.
    settle(undefined)
    next()
  }
  const start = (): Worker => {
    const started = startThread()
    started.unref()
    started.on('message', (reply: CountReply) => {
      if (started !== thread) return
      settle(reply)
      next()
    })
    started.on('error', () => lose(started, 'failed'))
    started.on('exit', () => lose(started, 'exited'))
    return started
  }
  const next = (): void => {
    const job = current === undefined ? waiting.shift() : undefined
    if (job === undefined) return
    waitingCharacters -= job.characters
    thread ??= start()
    const asked = thread
    current = { job, timer: setTimeout(() => lose(asked, 'timeout'), timeoutMs) }
    asked.postMessage(job.request)
  }

  return {
    count: async (request) => {
      const characters = request.texts.reduce((sum, text) => sum + text.length, 0)
      if (waiting.length >= maxWaiting || waitingCharacters + characters > maxWaitingCharacters) return undefined
      waitingCharacters += characters
      return await new Promise((settled) => {
        waiting.push({ request, characters, settle: settled })
        next()
      })
    },
    close: async () => {
      const ended = thread
      thread = undefined
      waitingCharacters = 0
      for (const job of waiting.splice(0)) job.settle(undefined)
      settle(undefined)
      await ended?.terminate()
    },
  }
}

function countingThread(): Worker {
  return new Worker(new URL('./counting-thread.ts', import.meta.url))
}
