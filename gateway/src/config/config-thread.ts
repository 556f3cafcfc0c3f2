import type { CheckedGlConfig, CheckedRouter, GlSettings, ProcessorEntry } from '@llm-gateway/conf'
import { createThread, type Thread, ThreadError } from '@llm-gateway/conf/thread'
import type { Answer, CheckedHead, MembersPiece, Question, ReadOrder } from './config-piece.ts'
import type { ConfigPlace, ConfigReading } from './config-reading.ts'
import { invalidFile, type Verdict } from './judge-config.ts'

const MIB = 1024 * 1024
/** The most memory of a parsed file; at most a third of the memory that is available to the process. */
const MEMORY_BYTES = 512 * MIB
/** The time limit of an answer: reading, parsing and checking 64 MiB takes seconds. */
const ANSWER_TIMEOUT_MS = 60_000

/**
 * Reads a configuration in a thread that ends when the reading is closed. Never rejects. A file that exhausts the
 * thread's memory is a failed reading. Texts cross to the main thread without change and stay in the process.
 */
export async function readInThread(place: ConfigPlace, signal: AbortSignal): Promise<ConfigReading> {
  const thread = new ConfigThread(place, signal)
  const first = await thread.ask({ kind: 'read' })
  if (first.kind === 'read') {
    const { fingerprint, valuesRevision } = first
    const judge = (acceptMissing: boolean) => judgeIn(thread, acceptMissing)
    return { kind: 'read', fingerprint, valuesRevision, judge, close: () => thread.end() }
  }
  await thread.end()
  return first.kind === 'unreadable' ? first : { kind: 'unreadable', code: 'INTERNAL', lasting: true }
}

async function judgeIn(thread: ConfigThread, acceptMissing: boolean): Promise<Verdict> {
  const verdict = await thread.ask({ kind: 'judge', acceptMissing })
  if (verdict.kind === 'invalid' || verdict.kind === 'unfinished') return verdict
  if (verdict.kind !== 'checked') return failed(verdict)
  const assembly = new Assembly(verdict)
  for (;;) {
    const piece = await thread.ask({ kind: 'more' })
    if (piece.kind === 'members') assembly.addMembers(piece)
    else if (piece.kind === 'routers') assembly.routers.push(...piece.routers)
    else if (piece.kind === 'end') return { kind: 'checked', digest: verdict.digest, config: assembly.config() }
    else return failed(piece)
  }
}

function failed(answer: Answer): Verdict {
  return invalidFile(answer.kind === 'unreadable' ? answer.code : 'INTERNAL')
}

/** Assembles a configuration from its pieces. */
class Assembly {
  readonly routers: CheckedRouter[] = []
  readonly #head: CheckedHead
  readonly #rows: Readonly<Record<'request' | 'response', readonly ProcessorEntry[][]>>

  constructor(head: CheckedHead) {
    this.#head = head
    const { request, response } = head.settings
    this.#rows = { request: request.processors.map(() => []), response: response.processors.map(() => []) }
  }

  addMembers({ phase, row, entries }: MembersPiece): void {
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

/** A thread that is asked one question at a time. After its first failure each answer is that failure. */
class ConfigThread {
  readonly #thread: Thread<Question, Answer>
  readonly #signal: AbortSignal
  #failure: Answer | undefined

  constructor({ file, secretsDir, environment }: ConfigPlace, signal: AbortSignal) {
    const memoryBytes = Math.min(MEMORY_BYTES, process.availableMemory() / 3)
    // `process.env` can't be posted to a thread, so that its variables are copied.
    const place = { file, environment: { ...environment }, ...(secretsDir === undefined ? {} : { secretsDir }) }
    const order: ReadOrder = { place, memoryBytes }
    this.#signal = signal
    this.#thread = createThread({
      program: new URL('./config-worker.ts', import.meta.url),
      data: order,
      name: 'configuration',
      // The heap holds the parsed file and its results; the parser's own memory is bounded before it begins.
      heapMegabytes: Math.ceil((2 * memoryBytes) / MIB) + 64,
    })
  }

  /** Never rejects. */
  async ask(question: Question): Promise<Answer> {
    if (this.#failure !== undefined) return this.#failure
    try {
      return await this.#thread.ask(question, { weight: 1, timeoutMs: ANSWER_TIMEOUT_MS, signal: this.#signal })
    } catch (error) {
      this.#failure = { kind: 'unreadable', code: this.#codeOf(error), lasting: true }
      // A lost thread would be replaced by one that has read nothing.
      await this.#thread.close()
      return this.#failure
    }
  }

  /** Resolves once the thread has ended. */
  end(): Promise<void> {
    return this.#thread.close()
  }

  #codeOf(error: unknown): string {
    if (this.#signal.aborted) return 'STOPPED'
    if (!(error instanceof ThreadError)) return 'INTERNAL'
    if (error.loss === 'THREAD_MEMORY') return 'OUT_OF_MEMORY'
    return error.code === 'TIMEOUT' ? 'TIMEOUT' : 'INTERNAL'
  }
}
