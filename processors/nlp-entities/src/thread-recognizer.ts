import { Worker } from 'node:worker_threads'
import type { Logger } from '@llm-gateway/sdk'
import { pieces } from './cut-text.ts'
import { type Entity, isEntity } from './entity.ts'
import type { Recognizer } from './recognizer.ts'

export type ThreadRecognizerOptions = {
  readonly logger: Logger
  /** A piece of a text that takes longer is given up with its thread. */
  readonly timeoutMs: number
  /** The thread's program; a test may have another. */
  readonly program?: URL
}

type Job = {
  readonly piece: string
  readonly resolve: (entities: readonly Entity[]) => void
  readonly reject: (error: Error) => void
}

/** Characters a thread works on at a time: a long text lets shorter ones pass between its pieces. */
export const PIECE_LENGTH = 4_096
/** Pieces that wait; every message has one at a time. */
const MAX_WAITING = 1_024
const HEAP_MEGABYTES = 512

/** Recognizes in a thread, started with the first text: the tagger takes about 10 ms for a thousand characters. */
export function createThreadRecognizer(options: ThreadRecognizerOptions): Recognizer {
  const waiting: Job[] = []
  let running: Job | undefined
  let thread: Worker | undefined
  let timer: NodeJS.Timeout | undefined

  const settle = (finish: (job: Job) => void): void => {
    clearTimeout(timer)
    const job = running
    running = undefined
    if (job !== undefined) finish(job)
    next()
  }
  const giveUp = (failed: Worker, code: string): void => {
    if (failed !== thread) return
    thread = undefined
    options.logger.error({ code }, 'recognizer thread replaced')
    // It is over whatever becomes of it.
    void failed.terminate()
    settle(({ reject }) => reject(new RecognizerError(code)))
  }
  const start = (): Worker => {
    const started = new Worker(options.program ?? new URL('./recognizer-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
    })
    started.unref()
    started.on('message', (answer: unknown) => {
      if (started === thread) settle(({ resolve }) => resolve(Array.isArray(answer) ? answer.filter(isEntity) : []))
    })
    started.on('error', () => giveUp(started, 'THREAD_FAILED'))
    started.on('exit', () => giveUp(started, 'THREAD_ENDED'))
    return started
  }
  const next = (): void => {
    if (running !== undefined) return
    running = waiting.shift()
    if (running === undefined) return
    thread ??= start()
    const used = thread
    timer = setTimeout(() => giveUp(used, 'THREAD_TIMEOUT'), options.timeoutMs)
    used.postMessage(running.piece)
  }
  const recognized = async (piece: string): Promise<readonly Entity[]> => {
    if (waiting.length >= MAX_WAITING) throw new RecognizerError('OVERLOADED')
    return await new Promise((resolve, reject) => {
      waiting.push({ piece, resolve, reject })
      next()
    })
  }

  return {
    entities: async (text) => {
      const found: Entity[] = []
      for (const piece of pieces(text, PIECE_LENGTH)) found.push(...(await recognized(piece)))
      return found
    },
    close: async () => {
      const ended = thread
      thread = undefined
      clearTimeout(timer)
      const left = [...(running === undefined ? [] : [running]), ...waiting.splice(0)]
      running = undefined
      for (const { reject } of left) reject(new RecognizerError('CLOSED'))
      await ended?.terminate()
    },
  }
}

/** Why a text has no answer; the code is for logs. */
class RecognizerError extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.name = 'RecognizerError'
    this.code = code
  }
}
