import { Worker } from 'node:worker_threads'
import { SettingsError, ThreadError, type ThreadFailure, type ThreadLoss } from '../program/failure.ts'
import type { Logger } from '../program/log.ts'
import { limitOfV8, watchHeap } from './heap-watch.ts'
import type { ThreadAnswer, ThreadQuestion, ThreadStart } from './run-thread.ts'

export type ThreadOptions = {
  /** A module that calls `runThread`. */
  readonly program: URL
  /** The argument of the module's `create`, copied into the thread. */
  readonly data?: unknown
  /** The thread's name in log lines. */
  readonly name: string
  /** Gets a WARN for each lost thread. Absent: only the rejected questions show the loss. */
  readonly logger?: Pick<Logger, 'warn'>
  /** The most MB of the thread's heap, computed at each start; a question that needs more ends the thread. */
  readonly heapMegabytes?: number | (() => number)
  /** V8's limit for young objects in MB; absent: V8's default. A lower limit saves memory and costs time. */
  readonly youngMegabytes?: number
  /** An idle thread ends after this long and starts again with the next question. Absent: the thread stays. */
  readonly idleMs?: number
  /**
   * The number of questions that the thread works on at the same time; absent: 1. When the thread is lost, all questions
   * in work fail, except those with `askAgain`: the next thread gets these.
   */
  readonly concurrency?: number
  /** The milliseconds in which a question that was given up can end by itself; then its thread is ended. Absent: 1,000. */
  readonly graceMs?: number
  /** The maximum number of waiting questions. */
  readonly waiting?: number
  /** The maximum sum of the waiting questions' weights. */
  readonly waitingWeight?: number
}

export type AskOptions = {
  /** Characters or bytes. The lightest waiting question is next, among equals the oldest. */
  readonly weight: number
  /** The limit for the answer, including the wait for its turn. */
  readonly timeoutMs: number
  /** Aborted when the caller no longer waits. */
  readonly signal?: AbortSignal
  /** Buffers of the question that are transferred instead of copied. */
  readonly transfer?: ArrayBuffer[]
  /**
   * True: a question that was given up rejects once the thread no longer works on it, so that its caller knows when the
   * thread is free. Absent: it rejects at once.
   */
  readonly untilEnded?: boolean
  /**
   * True: if the thread is lost while it works on this question and others, the next thread gets this question once more
   * and works on no other meanwhile. So the question fails only if it ends a thread itself. A question with `transfer`
   * can't be asked again.
   */
  readonly askAgain?: boolean
}

export type Thread<Question = unknown, Answer = unknown> = {
  /**
   * Rejects with a ThreadError: the thread's own error, or OVERLOADED, TIMEOUT, THREAD_LOST, CLOSED,
   * QUESTION_NOT_COPIED.
   */
  ask(question: Question, options: AskOptions): Promise<Answer>
  /**
   * Starts the thread before its first question; rejects with a SettingsError or a ThreadError when the start fails.
   */
  start(): Promise<void>
  /** False while the thread can't be started, or while a thread without `idleMs` is being started. */
  readonly ready: boolean
  /** The questions that wait or that the thread works on, those included that were given up and still run. */
  readonly questions: number
  close(): Promise<void>
}

type Job<Question, Answer> = {
  readonly id: number
  readonly question: Question
  readonly options: AskOptions
  readonly timer: NodeJS.Timeout
  readonly abort: () => void
  readonly resolve: (value: Answer) => void
  readonly reject: (error: Error) => void
  /** True for a question that is asked again, because a thread was lost that also worked on others. */
  readonly isAlone: boolean
}

/** A question that the thread works on. `job` is undefined once its caller has the result. */
type Running<Question, Answer> = {
  readonly slot: number
  readonly isAlone: boolean
  job: Job<Question, Answer> | undefined
  /** Set once the question was given up: its thread is ended then. */
  grace: NodeJS.Timeout | undefined
}

const HEAP_MEGABYTES = 512
const MOST_WAITING = 1_024
const MOST_WAITING_WEIGHT = 64 * 1024 * 1024
const GRACE_MS = 1_000
const START_AGAIN_MS = 1_000

/**
 * Makes a thread that answers questions, one after the other unless `concurrency` allows more. A lost thread is
 * replaced; of the questions that it worked on those are asked again that may be, and the others fail. The types of
 * question and answer aren't checked at run time.
 */
export function createThread<Question = unknown, Answer = unknown>(options: ThreadOptions): Thread<Question, Answer> {
  return new QueueingThread(options)
}

class QueueingThread<Question, Answer> implements Thread<Question, Answer> {
  readonly #options: ThreadOptions
  readonly #concurrency: number
  readonly #waiting: Job<Question, Answer>[] = []
  readonly #running = new Map<number, Running<Question, Answer>>()
  readonly #freeSlots: number[]
  /** For each slot the id of the question that was given up there. */
  readonly #stopped: SharedArrayBuffer
  #waitingWeight = 0
  #worker: Worker | undefined
  #state: 'none' | 'starting' | 'ready' | 'failed' | 'closed' = 'none'
  #starting = Promise.withResolvers<void>()
  #lastId = 0
  #idle: NodeJS.Timeout | undefined
  #again: NodeJS.Timeout | undefined
  #stays = false

  constructor(options: ThreadOptions) {
    this.#options = options
    this.#concurrency = options.concurrency ?? 1
    this.#stopped = new SharedArrayBuffer(this.#concurrency * Int32Array.BYTES_PER_ELEMENT)
    this.#freeSlots = Array.from({ length: this.#concurrency }, (_, slot) => slot)
  }

  get ready(): boolean {
    return this.#state === 'ready' || (!this.#stays && this.#state !== 'failed')
  }

  get questions(): number {
    return this.#waiting.length + this.#running.size
  }

  start(): Promise<void> {
    this.#stays = this.#options.idleMs === undefined
    this.#starting = Promise.withResolvers<void>()
    this.#startWorker()
    // The caller waits without a timer, so the worker keeps the program alive until it is ready.
    this.#worker?.ref()
    return this.#starting.promise
  }

  ask(question: Question, options: AskOptions): Promise<Answer> {
    const { waiting = MOST_WAITING, waitingWeight = MOST_WAITING_WEIGHT } = this.#options
    if (this.#state === 'closed') return Promise.reject(new ThreadError({ code: 'CLOSED' }))
    if (options.signal?.aborted === true) return Promise.reject(new ThreadError({ code: 'TIMEOUT' }))
    const isFull = this.#waiting.length >= waiting || this.#waitingWeight + options.weight > waitingWeight
    if (isFull && this.#waiting.length > 0) return Promise.reject(new ThreadError({ code: 'OVERLOADED' }))
    return new Promise((resolve, reject) => {
      this.#lastId += 1
      const id = this.#lastId
      const abort = (): void => this.#giveUp(id)
      const timer = setTimeout(abort, options.timeoutMs)
      options.signal?.addEventListener('abort', abort, { once: true })
      this.#waiting.push({ id, question, options, timer, abort, resolve, reject, isAlone: false })
      this.#waitingWeight += options.weight
      this.#next()
    })
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#state = 'closed'
    this.#forgetWorker()
    clearTimeout(this.#again)
    this.#failRunning({ code: 'CLOSED' })
    for (const job of this.#waiting.splice(0)) fail(job, { code: 'CLOSED' })
    this.#waitingWeight = 0
    await worker?.terminate()
  }

  #startWorker(): void {
    const { program, data, heapMegabytes = HEAP_MEGABYTES, youngMegabytes } = this.#options
    clearTimeout(this.#again)
    this.#state = 'starting'
    const workerData: ThreadStart<unknown> = { data, stopped: this.#stopped }
    const young = youngMegabytes === undefined ? {} : { maxYoungGenerationSizeMb: youngMegabytes }
    const old = typeof heapMegabytes === 'number' ? heapMegabytes : heapMegabytes()
    const resourceLimits = { maxOldGenerationSizeMb: limitOfV8(old), ...young }
    const worker = new Worker(program, { workerData, resourceLimits })
    this.#worker = worker
    watchHeap(worker, old, () => this.#lose(worker, 'THREAD_MEMORY'))
    worker.on('message', (answer: ThreadAnswer<Answer>) => this.#take(worker, answer))
    worker.on('error', (error) => this.#lose(worker, lossOf(error)))
    worker.on('exit', () => this.#lose(worker, 'THREAD_ENDED'))
    // An idle worker must not keep the program alive. While callers wait, the timers of their questions do. The
    // listener for messages would reference a worker that was unreferenced before it.
    worker.unref()
  }

  #take(worker: Worker, answer: ThreadAnswer<Answer>): void {
    if (worker !== this.#worker) return
    switch (answer.kind) {
      case 'ready':
        this.#state = 'ready'
        worker.unref()
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

  #settle(id: number, finish: (job: Job<Question, Answer>) => void): void {
    const running = this.#running.get(id)
    if (running === undefined) return
    const { job, grace } = running
    this.#forgetRunning(id, running)
    if (grace !== undefined) fail(job, { code: 'TIMEOUT' })
    else if (job !== undefined) {
      release(job)
      finish(job)
    }
    this.#next()
  }

  #next(): void {
    clearTimeout(this.#idle)
    if (this.#state === 'closed' || this.#state === 'failed') return
    if (this.#waiting.length === 0) this.#endWhenIdle()
    else if (this.#state === 'none') this.#startWorker()
    else if (this.#state === 'ready') this.#askWaiting()
  }

  #askWaiting(): void {
    const [running] = this.#running.values()
    // A question that joined it would be lost with it.
    if (running?.isAlone === true) return
    const alone = this.#waiting.findIndex(({ isAlone }) => isAlone)
    if (alone >= 0) {
      if (running === undefined) this.#ask(alone)
      return
    }
    while (this.#waiting.length > 0 && this.#freeSlots.length > 0) this.#ask(indexOfLightest(this.#waiting))
  }

  #ask(index: number): void {
    const [job] = this.#waiting.splice(index, 1)
    const slot = this.#freeSlots.pop()
    if (job === undefined || slot === undefined) return
    this.#waitingWeight -= job.options.weight
    this.#running.set(job.id, { slot, isAlone: job.isAlone, job, grace: undefined })
    const question: ThreadQuestion<Question> = { id: job.id, slot, question: job.question }
    try {
      this.#worker?.postMessage(question, job.options.transfer ?? [])
    } catch {
      // A function, for example, can't be copied into a thread.
      this.#settle(job.id, ({ reject }) => reject(new ThreadError({ code: 'QUESTION_NOT_COPIED' })))
    }
  }

  #endWhenIdle(): void {
    const { idleMs } = this.#options
    if (idleMs === undefined || this.#state !== 'ready' || this.#running.size > 0) return
    this.#idle = setTimeout(() => {
      const worker = this.#worker
      this.#forgetWorker()
      this.#state = 'none'
      void worker?.terminate() // resolves with an exit code and never rejects
    }, idleMs).unref()
  }

  /** Gives up a question whose caller no longer waits. */
  #giveUp(id: number): void {
    const running = this.#running.get(id)
    if (running !== undefined) this.#abandon(id, running)
    else {
      const index = this.#waiting.findIndex((job) => job.id === id)
      const [job] = index < 0 ? [] : this.#waiting.splice(index, 1)
      this.#waitingWeight -= job?.options.weight ?? 0
      fail(job, { code: 'TIMEOUT' })
    }
  }

  #abandon(id: number, running: Running<Question, Answer>): void {
    const { job } = running
    const worker = this.#worker
    if (job !== undefined) release(job)
    Atomics.store(new Int32Array(this.#stopped), running.slot, id)
    running.grace = setTimeout(() => {
      if (worker !== undefined) this.#lose(worker, 'THREAD_STUCK')
    }, this.#options.graceMs ?? GRACE_MS)
    if (job?.options.untilEnded === true) return
    running.job = undefined
    fail(job, { code: 'TIMEOUT' })
  }

  #lose(worker: Worker, loss: ThreadLoss): void {
    // A thread that failed also emits `exit`.
    if (worker !== this.#worker) return
    const hasStarted = this.#state === 'ready'
    this.#forgetWorker()
    this.#options.logger?.warn(
      { thread: this.#options.name, code: loss },
      'thread ended unexpectedly; a new one starts',
    )
    void worker.terminate() // resolves with an exit code and never rejects
    this.#keepUnanswered()
    this.#failRunning({ code: 'THREAD_LOST', loss })
    this.#starting.promise.catch(() => undefined) // the start may have no waiting caller
    this.#starting.reject(new ThreadError({ code: loss }))
    this.#state = hasStarted ? 'none' : 'failed'
    if (!hasStarted) this.#again = setTimeout(() => this.#startWorker(), START_AGAIN_MS).unref()
    else if (this.#stays) this.#startWorker()
    else this.#next()
  }

  /**
   * Puts the questions of a lost thread back that are asked again. Any of them may have ended the thread, so the next
   * thread works on each of them alone: if one ends that thread, too, it fails and no other question does.
   */
  #keepUnanswered(): void {
    // The only question in work has ended the thread.
    if (this.#running.size === 1) return
    for (const [id, running] of [...this.#running]) {
      const { job, grace } = running
      if (job?.options.askAgain !== true || job.options.transfer !== undefined || grace !== undefined) continue
      this.#forgetRunning(id, running)
      this.#waiting.push({ ...job, isAlone: true })
      this.#waitingWeight += job.options.weight
    }
  }

  #forgetWorker(): void {
    this.#worker = undefined
    clearTimeout(this.#idle)
  }

  #failRunning(failure: ThreadFailure): void {
    for (const [id, running] of [...this.#running]) {
      this.#forgetRunning(id, running)
      fail(running.job, running.grace === undefined ? failure : { code: 'TIMEOUT' })
    }
  }

  #forgetRunning(id: number, { slot, grace }: Running<Question, Answer>): void {
    clearTimeout(grace)
    this.#running.delete(id)
    this.#freeSlots.push(slot)
  }
}

function fail(job: Job<unknown, never> | undefined, failure: ThreadFailure): void {
  if (job === undefined) return
  release(job)
  job.reject(new ThreadError(failure))
}

/** Ends the job's timer and its interest in the caller's signal, which may outlive many questions. */
function release({ timer, options, abort }: Job<unknown, never>): void {
  clearTimeout(timer)
  options.signal?.removeEventListener('abort', abort)
}

function lossOf(error: unknown): ThreadLoss {
  const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
  return isMemory ? 'THREAD_MEMORY' : 'THREAD_FAILED'
}

/** Weights within a factor of two count as equal. */
function indexOfLightest(jobs: readonly Job<unknown, never>[]): number {
  let lightest = 0
  let least = Number.POSITIVE_INFINITY
  for (const [index, { options }] of jobs.entries()) {
    const size = Math.floor(Math.log2(Math.max(1, options.weight)))
    if (size >= least) continue
    lightest = index
    least = size
  }
  return lightest
}
