import { Worker } from 'node:worker_threads'
import { SettingsError, ThreadError } from './failure.ts'
import type { Logger } from './logger.ts'
import type { ThreadAnswer, ThreadQuestion, ThreadStart } from './thread-program.ts'

export type ThreadOptions = {
  /** A module that calls `runThread`. */
  readonly program: URL
  /** The argument of the module's `create`, copied into the thread. */
  readonly data?: unknown
  /** The thread's name in log lines. */
  readonly name: string
  readonly logger: Pick<Logger, 'warn'>
  /** V8's limit for old objects in MB; a question that needs more ends the thread. */
  readonly heapMegabytes?: number
  /** V8's limit for young objects in MB; absent: V8's default. A lower limit saves memory and costs time. */
  readonly youngMegabytes?: number
  /** An idle thread ends after this long and starts again with the next question. Absent: the thread stays. */
  readonly idleMs?: number
  /** The maximum of waiting questions, and of the sum of their weights. */
  readonly waiting?: number
  readonly waitingWeight?: number
}

export type Asking = {
  /** Characters or bytes. The lightest waiting question is next, among equals the oldest. */
  readonly weight: number
  /** The limit for the answer, including the wait for its turn. */
  readonly timeoutMs: number
  /** Aborted when the caller no longer waits. */
  readonly signal?: AbortSignal
  /** Buffers of the question that are transferred instead of copied. */
  readonly transfer?: ArrayBuffer[]
}

export type Thread = {
  /** Rejects with a ThreadError: the thread's own error, or OVERLOADED, TIMEOUT, THREAD_LOST, CLOSED. */
  ask(question: unknown, asking: Asking): Promise<unknown>
  /**
   * Starts the thread before its first question; rejects with a SettingsError or a ThreadError when the start fails.
   */
  start(): Promise<void>
  /** False while the thread can't be started, or while a thread that stays is being started. */
  readonly ready: boolean
  close(): Promise<void>
}

type Job = {
  readonly id: number
  readonly question: unknown
  readonly asking: Asking
  readonly timer: NodeJS.Timeout
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** The question that the thread works on; `job` is undefined once the question was given up. */
type Running = { readonly id: number; job: Job | undefined }

const HEAP_MEGABYTES = 512
const MOST_WAITING = 1_024
const MOST_WAITING_WEIGHT = 64 * 1024 * 1024
/** Work that checks `stopped` ends by itself; work that goes on for longer ends with its thread. */
const GRACE_MS = 1_000
const START_AGAIN_MS = 1_000

/**
 * Makes a thread that answers one question after the other. A lost thread is replaced; only its current question fails.
 */
export function createThread(options: ThreadOptions): Thread {
  return new QueueingThread(options)
}

class QueueingThread implements Thread {
  readonly #options: ThreadOptions
  readonly #waiting: Job[] = []
  readonly #stopped = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  #waitingWeight = 0
  #worker: Worker | undefined
  #state: 'none' | 'starting' | 'ready' | 'failed' | 'closed' = 'none'
  #starting = Promise.withResolvers<void>()
  #running: Running | undefined
  #lastId = 0
  #grace: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined
  #again: NodeJS.Timeout | undefined
  #stays = false

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  get ready(): boolean {
    return this.#state === 'ready' || (!this.#stays && this.#state !== 'failed')
  }

  start(): Promise<void> {
    this.#stays = this.#options.idleMs === undefined
    this.#starting = Promise.withResolvers<void>()
    this.#startWorker()
    return this.#starting.promise
  }

  ask(question: unknown, asking: Asking): Promise<unknown> {
    const { waiting = MOST_WAITING, waitingWeight = MOST_WAITING_WEIGHT } = this.#options
    if (this.#state === 'closed') return Promise.reject(new ThreadError({ code: 'CLOSED' }))
    const isFull = this.#waiting.length >= waiting || this.#waitingWeight + asking.weight > waitingWeight
    if (isFull && this.#waiting.length > 0) return Promise.reject(new ThreadError({ code: 'OVERLOADED' }))
    return new Promise((resolve, reject) => {
      this.#lastId += 1
      const id = this.#lastId
      const giveUp = (): void => this.#giveUp(id)
      const timer = setTimeout(giveUp, asking.timeoutMs)
      asking.signal?.addEventListener('abort', giveUp, { once: true })
      this.#waiting.push({ id, question, asking, timer, resolve, reject })
      this.#waitingWeight += asking.weight
      this.#next()
    })
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#state = 'closed'
    this.#forgetWorker()
    clearTimeout(this.#again)
    this.#fail(this.#running?.job, 'CLOSED')
    this.#running = undefined
    for (const job of this.#waiting.splice(0)) this.#fail(job, 'CLOSED')
    this.#waitingWeight = 0
    await worker?.terminate()
  }

  #startWorker(): void {
    const { program, data, heapMegabytes = HEAP_MEGABYTES, youngMegabytes } = this.#options
    clearTimeout(this.#again)
    this.#state = 'starting'
    const workerData: ThreadStart = { data, stopped: this.#stopped }
    const young = youngMegabytes === undefined ? {} : { maxYoungGenerationSizeMb: youngMegabytes }
    const resourceLimits = { maxOldGenerationSizeMb: heapMegabytes, ...young }
    const worker = new Worker(program, { workerData, resourceLimits })
    this.#worker = worker
    // The worker alone doesn't keep the program alive; callers that wait for its answers do.
    worker.unref()
    worker.on('message', (answer: ThreadAnswer) => this.#take(worker, answer))
    worker.on('error', (error) => this.#lose(worker, codeOf(error)))
    worker.on('exit', () => this.#lose(worker, 'THREAD_ENDED'))
  }

  #take(worker: Worker, answer: ThreadAnswer): void {
    if (worker !== this.#worker) return
    switch (answer.kind) {
      case 'ready':
        this.#state = 'ready'
        this.#starting.resolve()
        this.#next()
        break
      case 'refused':
        this.#starting.reject(new SettingsError(answer.reasons))
        this.#lose(worker, 'THREAD_REFUSED')
        break
      case 'answer':
        this.#settle(answer.id, (job) => job.resolve(answer.value))
        break
      case 'failed':
        this.#settle(answer.id, (job) => job.reject(new ThreadError(answer.failure)))
        break
      default:
        answer satisfies never
    }
  }

  #settle(id: number, finish: (job: Job) => void): void {
    if (this.#running?.id !== id) return
    const { job } = this.#running
    clearTimeout(this.#grace)
    clearTimeout(job?.timer)
    this.#running = undefined
    if (job !== undefined) finish(job)
    this.#next()
  }

  #next(): void {
    clearTimeout(this.#idle)
    if (this.#running !== undefined || this.#state === 'closed' || this.#state === 'failed') return
    if (this.#waiting.length === 0) this.#rest()
    else if (this.#state === 'none') this.#startWorker()
    else if (this.#state === 'ready') this.#askLightest()
  }

  #askLightest(): void {
    const [job] = this.#waiting.splice(indexOfLightest(this.#waiting), 1)
    if (job === undefined) return
    this.#waitingWeight -= job.asking.weight
    this.#running = { id: job.id, job }
    const question: ThreadQuestion = { id: job.id, question: job.question }
    this.#worker?.postMessage(question, job.asking.transfer ?? [])
  }

  #rest(): void {
    const { idleMs } = this.#options
    if (idleMs === undefined || this.#state !== 'ready') return
    this.#idle = setTimeout(() => {
      const worker = this.#worker
      this.#forgetWorker()
      this.#state = 'none'
      void worker?.terminate() // resolves with an exit code and never rejects
    }, idleMs).unref()
  }

  /** Gives up a question whose caller no longer waits. */
  #giveUp(id: number): void {
    if (this.#running?.id === id) this.#abandon(this.#running)
    else {
      const index = this.#waiting.findIndex((job) => job.id === id)
      const [job] = index < 0 ? [] : this.#waiting.splice(index, 1)
      this.#waitingWeight -= job?.asking.weight ?? 0
      this.#fail(job, 'TIMEOUT')
    }
  }

  #abandon(running: Running): void {
    const { job } = running
    const worker = this.#worker
    running.job = undefined
    Atomics.store(new Int32Array(this.#stopped), 0, running.id)
    this.#grace = setTimeout(() => {
      if (worker !== undefined) this.#lose(worker, 'THREAD_STUCK')
    }, GRACE_MS)
    this.#fail(job, 'TIMEOUT')
  }

  #lose(worker: Worker, code: string): void {
    // A thread that failed also emits `exit`.
    if (worker !== this.#worker) return
    const hasStarted = this.#state === 'ready'
    this.#forgetWorker()
    this.#options.logger.warn({ thread: this.#options.name, code }, 'thread lost')
    void worker.terminate() // resolves with an exit code and never rejects
    this.#fail(this.#running?.job, 'THREAD_LOST')
    this.#running = undefined
    this.#starting.promise.catch(() => undefined) // the start may have no waiting caller
    this.#starting.reject(new ThreadError({ code }))
    this.#state = hasStarted ? 'none' : 'failed'
    if (!hasStarted) this.#again = setTimeout(() => this.#startWorker(), START_AGAIN_MS).unref()
    else if (this.#stays) this.#startWorker()
    else this.#next()
  }

  #forgetWorker(): void {
    this.#worker = undefined
    clearTimeout(this.#grace)
    clearTimeout(this.#idle)
  }

  #fail(job: Job | undefined, code: string): void {
    clearTimeout(job?.timer)
    job?.reject(new ThreadError({ code }))
  }
}

function codeOf(error: unknown): string {
  const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
  return isMemory ? 'THREAD_MEMORY' : 'THREAD_FAILED'
}

/** Weights within a factor of two count as equal. */
function indexOfLightest(jobs: readonly Job[]): number {
  let lightest = 0
  let least = Number.POSITIVE_INFINITY
  for (const [index, { asking }] of jobs.entries()) {
    const size = Math.floor(Math.log2(Math.max(1, asking.weight)))
    if (size >= least) continue
    lightest = index
    least = size
  }
  return lightest
}
