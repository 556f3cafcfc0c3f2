import type { Logger } from '@llm-gateway/conf'
import { endpoints } from '@llm-gateway/gui-api'
import { createThread, type Thread } from '@llm-gateway/sdk'
import { type BytesRequest, type BytesRoute, failed } from '../answer.ts'
import { stampOf } from '../files/file-text.ts'
import { shareRunning } from '../share-running.ts'
import type { PreparedCall } from '../trying/prepare-call.ts'
import { type FileAnswers, fileAnswers } from './file-answers.ts'
import type { FileAnswer, FileOrder, FileQuestion } from './file-messages.ts'
import type { FileParts } from './file-parts.ts'

export type FileWorkOptions = {
  readonly order: FileOrder
  /** The files that describe the parts. */
  readonly partFiles: readonly string[]
  readonly logger: Logger
}

/** The most work of a question for the main thread, in bytes of plain text: some 25 ms. A thread does more work. */
const MOST_WORK_HERE = 64 * 1024
/** The parts are read again after this time, since variables in files may have changed. */
const PARTS_MS = 5 * 60_000
const MOST_RUNNING = 200
/**
 * Questions that the thread works on at the same time: a deploy of each of the seven files, which waits for its effect,
 * and five others, each of which holds its texts.
 */
const MOST_AT_ONCE = 12
const MIB = 1024 * 1024
/**
 * Heap of the thread: a text of 8 MiB as a tree, a few times. A text that needs more ends the thread, not the program.
 */
const MOST_HEAP_MIB = 1024
/** An idle thread ends after this time and gives its memory back. */
const IDLE_MS = 30_000
/** Long, because a deploy waits for the gateway or for a restart. */
const ANSWER_TIMEOUT_MS = 180_000

const READING = [
  endpoints.files,
  endpoints.file,
  endpoints.schema,
  endpoints.check,
  endpoints.archive,
  endpoints.archived,
  endpoints.routers,
] as const
const CHANGING = [endpoints.saveDraft, endpoints.discardDraft, endpoints.deploy, endpoints.restore] as const

/** Runs all work on texts of files: on small texts in the main thread, on large texts in another thread. */
export class FileWork {
  /** Returns the parts that the live files describe. They are read again when one of the files has changed. */
  readonly parts = shareRunning(() => this.#readParts())
  readonly #options: FileWorkOptions
  readonly #here: FileAnswers
  readonly #thread: Thread<FileQuestion, FileAnswer>
  readonly #turns = new Map<string, Promise<unknown>>()
  #running = 0
  #parts: { readonly stamp: string; readonly until: number; readonly parts: FileParts } | undefined

  constructor(options: FileWorkOptions) {
    this.#options = options
    this.#here = fileAnswers(options.order, MOST_WORK_HERE)
    this.#thread = createThread({
      program: new URL('./file-program.ts', import.meta.url),
      data: options.order,
      name: 'files',
      logger: options.logger,
      heapMegabytes: () => Math.min(MOST_HEAP_MIB, Math.floor(process.availableMemory() / 2 / MIB)),
      idleMs: IDLE_MS,
      concurrency: MOST_AT_ONCE,
    })
  }

  /** Removes files left by a kill. Await it before the first request. Never rejects. */
  clean(): Promise<void> {
    return this.#here.clean()
  }

  /** Returns the routes that read and edit the files. Changes of the same file run one after another. */
  routes(): readonly BytesRoute[] {
    return [
      ...READING.map((endpoint) => this.#route(endpoint, (_, question) => this.#ask(question))),
      ...CHANGING.map((endpoint) =>
        this.#route(endpoint, ({ parameters }, question) =>
          this.#inTurn(String(Object(parameters).file), () => this.#ask(question, 'once')),
        ),
      ),
    ]
  }

  async #readParts(): Promise<FileParts> {
    const stamps = await Promise.all(this.#options.partFiles.map(stampOf))
    const stamp = stamps.join(' ')
    const kept = this.#parts
    if (kept !== undefined && kept.stamp === stamp && performance.now() < kept.until) return kept.parts
    const answer = await this.#ask({ kind: 'parts' })
    if (answer.kind !== 'parts') return broken(answer)
    this.#parts = { stamp, until: performance.now() + PARTS_MS, parts: answer.parts }
    return answer.parts
  }

  /** @param router the path of the called router */
  async call(router: string): Promise<PreparedCall> {
    const answer = await this.#ask({ kind: 'call', router })
    return answer.kind === 'call' ? answer.call : broken(answer)
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  #route(
    endpoint: (typeof READING | typeof CHANGING)[number],
    ask: (asked: BytesRequest, question: FileQuestion) => Promise<FileAnswer>,
  ): BytesRoute {
    const { method, path } = endpoint
    return {
      endpoint,
      answer: async (asked) => {
        if (this.#running >= MOST_RUNNING)
          return failed('TOO_MANY', 'Too many requests use the files now. Try again in a moment.')
        const { caller, ...rest } = asked
        const request = { method, path, ...rest, callerName: caller.name }
        this.#running += 1
        const answer = await ask(asked, { kind: 'request', request }).finally(() => {
          this.#running -= 1
        })
        return answer.kind === 'request' ? { ...answer, kind: 'bytes' } : broken(answer)
      },
    }
  }

  /** A change is asked `once`: if its thread is lost, a part of the change may be made. */
  async #ask(question: FileQuestion, times?: 'once'): Promise<FileAnswer> {
    const work = await this.#here.workOf(question)
    const answer = work <= MOST_WORK_HERE ? await this.#here.answer(question) : undefined
    if (answer !== undefined && answer.kind !== 'grown') return answer
    const askAgain = times !== 'once'
    return await this.#thread.ask(question, { weight: 1, timeoutMs: ANSWER_TIMEOUT_MS, askAgain })
  }

  #inTurn(file: string, work: () => Promise<FileAnswer>): Promise<FileAnswer> {
    const turn = (this.#turns.get(file) ?? Promise.resolve()).then(work)
    // The caller gets the failure; the next change runs in any case.
    const over = turn
      .catch(() => undefined)
      .then(() => {
        if (this.#turns.get(file) === over) this.#turns.delete(file)
      })
    this.#turns.set(file, over)
    return turn
  }
}

/** Throws for a bug. */
function broken(answer: FileAnswer): never {
  const error = new Error('the thread of the files gave an answer of another kind')
  if (answer.kind === 'failed') {
    error.name = answer.name
    error.stack = `${answer.name}\n${answer.stack}`
  }
  throw error
}
