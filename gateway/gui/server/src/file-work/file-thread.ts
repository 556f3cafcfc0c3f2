import { Worker } from 'node:worker_threads'
import type { Logger } from '@llm-gateway/conf'
import type { FileAnswer, FileOrder, FileQuestion, NumberedAnswer, NumberedQuestion } from './file-messages.ts'

const MIB = 1024 * 1024
/**
 * Heap of the thread: a text of 8 MiB as a tree, a few times. A text that needs more ends the thread, not the program.
 */
const MOST_HEAP_MIB = 1024
/** An idle thread ends after this time and gives its memory back. */
const IDLE_MS = 30_000
/** Long, because a deploy waits for the gateway or for a restart. */
const ANSWER_TIMEOUT_MS = 180_000

/** Works on large texts beside the main thread. The thread runs only while it is needed. */
export class FileThread {
  readonly #order: FileOrder
  readonly #logger: Logger
  readonly #waiting = new Map<number, (answer: FileAnswer) => void>()
  #worker: Worker | undefined
  #lastId = 0
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(order: FileOrder, logger: Logger) {
    this.#order = order
    this.#logger = logger
  }

  /** Sends a question to the thread. Never rejects: if the thread is lost, the answer is `failed`. */
  ask(question: FileQuestion): Promise<FileAnswer> {
    if (this.#isClosed) return Promise.resolve(lost('STOPPED'))
    clearTimeout(this.#idle)
    this.#lastId += 1
    const id = this.#lastId
    const { promise, resolve } = Promise.withResolvers<FileAnswer>()
    const late = setTimeout(() => this.#settle(id, lost('TIMEOUT')), ANSWER_TIMEOUT_MS)
    this.#waiting.set(id, (answer) => {
      clearTimeout(late)
      resolve(answer)
    })
    const message: NumberedQuestion = { id, question }
    this.#running().postMessage(message)
    return promise
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#end('STOPPED')
  }

  #running(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const heapMib = Math.min(MOST_HEAP_MIB, Math.floor(process.availableMemory() / 2 / MIB))
    const worker = new Worker(new URL('./file-program.ts', import.meta.url), {
      workerData: this.#order,
      resourceLimits: { maxOldGenerationSizeMb: heapMib },
    })
    worker.on('message', ({ id, answer }: NumberedAnswer) => this.#settle(id, answer))
    worker.on('error', (error) => this.#lose(worker, 'code' in error ? String(error.code) : error.name))
    worker.on('exit', () => this.#lose(worker, 'ENDED'))
    this.#worker = worker
    return worker
  }

  #settle(id: number, answer: FileAnswer): void {
    this.#waiting.get(id)?.(answer)
    this.#waiting.delete(id)
    if (this.#waiting.size > 0 || this.#worker === undefined) return
    clearTimeout(this.#idle)
    // Ending an idle thread can't fail a question: none waits.
    this.#idle = setTimeout(() => void this.#end('IDLE'), IDLE_MS).unref()
  }

  #lose(worker: Worker, code: string): void {
    if (worker !== this.#worker) return
    this.#logger.warn({ thread: 'files', code }, 'thread lost')
    // `#end` only awaits `terminate`, which resolves in every case.
    void this.#end(code)
  }

  async #end(code: string): Promise<void> {
    clearTimeout(this.#idle)
    const worker = this.#worker
    this.#worker = undefined
    for (const id of [...this.#waiting.keys()]) this.#settle(id, lost(code))
    await worker?.terminate()
  }
}

function lost(code: string): FileAnswer {
  return { kind: 'failed', name: `file thread: ${code}`, stack: '' }
}
