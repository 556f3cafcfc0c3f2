import { Worker } from 'node:worker_threads'
import type { CheckedGlConfig, CheckedRouter, GlSettings, ProcessorEntry } from '@llm-gateway/conf'
import { type CheckResult, invalidConfig } from './check-config.ts'
import type { ConfigSource, ReadResult } from './read-result.ts'
import type { ConfigHead, ProcessorsPiece, ReaderData, ReaderRequest, ReaderResponse } from './reader-messages.ts'

const MIB = 1024 * 1024
/** The most memory of a parsed file; at most a third of the memory that is available to the process. */
const MEMORY_BYTES = 512 * MIB
/** The time limit of an answer: reading, parsing and checking 64 MiB takes seconds. */
const ANSWER_TIMEOUT_MS = 60_000

/**
 * Reads a configuration in a thread that ends when the reading is closed. Never rejects. A file that exhausts the
 * thread's memory is a failed reading. Texts cross to the main thread without change and stay in the process.
 */
export async function readInThread(source: ConfigSource, signal: AbortSignal): Promise<ReadResult> {
  const thread = new ConfigThread(source, signal)
  const first = await thread.response()
  if (first.kind === 'read') {
    const { fingerprint, valuesRevision } = first
    const judge = (acceptMissing: boolean) => checkInThread(thread, acceptMissing)
    return { kind: 'read', fingerprint, valuesRevision, check: judge, close: () => thread.end() }
  }
  await thread.end()
  return first.kind === 'unreadable' ? first : { kind: 'unreadable', code: 'INTERNAL', isPermanent: true }
}

async function checkInThread(thread: ConfigThread, acceptMissing: boolean): Promise<CheckResult> {
  const result = await thread.request({ kind: 'check', acceptMissing })
  if (result.kind === 'invalid' || result.kind === 'unfinished') return result
  if (result.kind !== 'checked') return failed(result)
  const assembly = new ConfigAssembly(result)
  for (;;) {
    const piece = await thread.request({ kind: 'more' })
    if (piece.kind === 'processors') assembly.addProcessors(piece)
    else if (piece.kind === 'routers') assembly.routers.push(...piece.routers)
    else if (piece.kind === 'end') return { kind: 'checked', digest: result.digest, config: assembly.config() }
    else return failed(piece)
  }
}

function failed(answer: ReaderResponse): CheckResult {
  return invalidConfig(answer.kind === 'unreadable' ? answer.code : 'INTERNAL')
}

/** Assembles a configuration from its pieces. */
class ConfigAssembly {
  readonly routers: CheckedRouter[] = []
  readonly #head: ConfigHead
  readonly #rows: Readonly<Record<'request' | 'response', readonly ProcessorEntry[][]>>

  constructor(head: ConfigHead) {
    this.#head = head
    const { request, response } = head.settings
    this.#rows = { request: request.processors.map(() => []), response: response.processors.map(() => []) }
  }

  addProcessors({ phase, row, entries }: ProcessorsPiece): void {
    this.#rows[phase][row]?.push(...entries)
  }

  config(): CheckedGlConfig {
    const { settings, unknownKeys, rejectedFields, rejectedRouters } = this.#head
    const { request, response } = this.#rows
    const whole: GlSettings = {
      ...settings,
      request: { processors: [...request] },
      response: { processors: [...response] },
    }
    return { settings: whole, routers: this.routers, unknownKeys, rejectedFields, rejectedRouters }
  }
}

/** A thread that is asked one question at a time. A failure of the thread answers the pending question. */
class ConfigThread {
  readonly #worker: Worker
  readonly #signal: AbortSignal
  readonly #stop = (): void => this.#settle({ kind: 'unreadable', code: 'STOPPED', isPermanent: true })
  #waiting = Promise.withResolvers<ReaderResponse>()
  #failure: ReaderResponse | undefined

  constructor({ file, secretsDir, environment }: ConfigSource, signal: AbortSignal) {
    const memoryBytes = Math.min(MEMORY_BYTES, process.availableMemory() / 3)
    // `process.env` can't be posted to a thread, so that its variables are copied.
    const source = { file, environment: { ...environment }, ...(secretsDir === undefined ? {} : { secretsDir }) }
    const order: ReaderData = { source, memoryBytes }
    this.#signal = signal
    this.#worker = new Worker(new URL('./config-worker.ts', import.meta.url), {
      workerData: order,
      // The heap holds the parsed file and its results; the parser's own memory is bounded before it begins.
      resourceLimits: { maxOldGenerationSizeMb: Math.ceil((2 * memoryBytes) / MIB) + 64 },
    })
    this.#worker.on('message', (answer: ReaderResponse) => this.#waiting.resolve(answer))
    this.#worker.on('error', (error: NodeJS.ErrnoException) => {
      const code = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'OUT_OF_MEMORY' : 'INTERNAL'
      this.#settle({ kind: 'unreadable', code, isPermanent: true })
    })
    this.#worker.on('exit', () => this.#settle({ kind: 'unreadable', code: 'INTERNAL', isPermanent: true }))
    signal.addEventListener('abort', this.#stop)
    if (signal.aborted) this.#stop()
  }

  request(question: ReaderRequest): Promise<ReaderResponse> {
    this.#waiting = Promise.withResolvers<ReaderResponse>()
    if (this.#failure !== undefined) this.#waiting.resolve(this.#failure)
    this.#worker.postMessage(question)
    return this.response()
  }

  /** Resolves with the answer to the last question; the first answer needs none. Never rejects. */
  async response(): Promise<ReaderResponse> {
    const late = setTimeout(
      () => this.#settle({ kind: 'unreadable', code: 'TIMEOUT', isPermanent: true }),
      ANSWER_TIMEOUT_MS,
    )
    const answer = await this.#waiting.promise
    clearTimeout(late)
    return answer
  }

  /** Resolves once the thread has ended. */
  async end(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#stop)
    await this.#worker.terminate()
  }

  #settle(failure: ReaderResponse): void {
    this.#failure ??= failure
    this.#waiting.resolve(this.#failure)
  }
}
