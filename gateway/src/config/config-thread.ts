import type { CheckedGlConfig, CheckedRouter, GlSettings, ProcessorEntry } from '@llm-gateway/conf'
import { createThread, type Thread, ThreadError } from '@llm-gateway/conf/thread'
import type { CheckResult } from './check-config.ts'
import type { ConfigSource, ReadResult, UnreadableConfig } from './read-result.ts'
import type {
  ConfigHead,
  PathsPiece,
  ProcessorsPiece,
  ReaderData,
  ReaderRequest,
  ReaderResponse,
} from './reader-messages.ts'

const PROGRAM = new URL('./config-worker.ts', import.meta.url)
const MIB = 1024 * 1024
/** The most memory of a parsed file; at most a third of the memory that is available to the process. */
const MEMORY_BYTES = 256 * MIB
/** The time limit of an answer: reading, parsing and checking 64 MiB takes seconds. */
const ANSWER_TIMEOUT_MS = 60_000
/** The result after an answer that doesn't fit the request: a fault of our code, which stays. */
const ODD_ANSWER: UnreadableConfig = { kind: 'unreadable', code: 'INTERNAL', retry: 'never' }

/**
 * Reads a configuration in a thread that ends when the reading is closed. Never rejects. A file that exhausts the
 * thread's memory is a failed reading, and so is the loss of the thread, also in a check. The texts of the configuration,
 * secrets among them, cross to the main thread unmasked and don't leave the process.
 */
export async function readInThread(source: ConfigSource, signal: AbortSignal, program = PROGRAM): Promise<ReadResult> {
  const thread = new ConfigThread(source, signal, program)
  const first = await thread.request({ kind: 'read' })
  if (first.kind === 'read') {
    const { fingerprint, valuesRevision } = first
    const check = (acceptMissing: boolean) => checkInThread(thread, acceptMissing)
    return { kind: 'read', fingerprint, valuesRevision, check, close: () => thread.end() }
  }
  await thread.end()
  return first.kind === 'unreadable' ? first : ODD_ANSWER
}

async function checkInThread(thread: ConfigThread, acceptMissing: boolean): Promise<CheckResult | UnreadableConfig> {
  const result = await thread.request({ kind: 'check', acceptMissing })
  if (result.kind === 'invalid' || result.kind === 'unfinished') return result
  if (result.kind !== 'checked') return failed(result)
  const assembly = new ConfigAssembly(result)
  for (;;) {
    const piece = await thread.request({ kind: 'more' })
    if (piece.kind === 'processors') assembly.addProcessors(piece)
    else if (piece.kind === 'paths') assembly.addPaths(piece)
    else if (piece.kind === 'routers') assembly.routers.push(...piece.routers)
    else if (piece.kind === 'end') return { kind: 'checked', digest: result.digest, config: assembly.config() }
    else return failed(piece)
  }
}

function failed(answer: ReaderResponse): UnreadableConfig {
  return answer.kind === 'unreadable' ? answer : ODD_ANSWER
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

  addPaths({ phase, row, entry, list, paths }: PathsPiece): void {
    this.#rows[phase][row]?.[entry]?.[list]?.push(...paths)
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
  readonly #thread: Thread<ReaderRequest, ReaderResponse>
  readonly #signal: AbortSignal
  #failure: ReaderResponse | undefined

  constructor({ file, secretsDir, environment }: ConfigSource, signal: AbortSignal, program: URL) {
    const memoryBytes = Math.min(MEMORY_BYTES, process.availableMemory() / 3)
    // `process.env` can't be posted to a thread, so that its variables are copied.
    const source = { file, environment: { ...environment }, ...(secretsDir === undefined ? {} : { secretsDir }) }
    const data: ReaderData = { source, memoryBytes }
    this.#signal = signal
    this.#thread = createThread({
      program,
      data,
      name: 'configuration',
      // The heap holds the parsed file and its results; the parser's own memory is bounded before the parser begins.
      heapMegabytes: Math.ceil((2 * memoryBytes) / MIB) + 64,
    })
  }

  /** Never rejects. */
  async request(request: ReaderRequest): Promise<ReaderResponse> {
    if (this.#failure !== undefined) return this.#failure
    try {
      return await this.#thread.ask(request, { weight: 1, timeoutMs: ANSWER_TIMEOUT_MS, signal: this.#signal })
    } catch (error) {
      this.#failure = { kind: 'unreadable', ...this.#reasonOf(error) }
      // A lost thread would be replaced by one that has read nothing.
      await this.#thread.close()
      return this.#failure
    }
  }

  /** Resolves once the thread has ended. */
  end(): Promise<void> {
    return this.#thread.close()
  }

  #reasonOf(error: unknown): Pick<UnreadableConfig, 'code' | 'retry'> {
    if (this.#signal.aborted) return { code: 'STOPPED', retry: 'never' }
    const { code, loss } = error instanceof ThreadError ? error : {}
    // The file needs as much memory the next time; any other loss may come from a machine that is short of something.
    if (loss === 'THREAD_MEMORY') return { code: 'OUT_OF_MEMORY', retry: 'never' }
    return { code: code === 'TIMEOUT' ? 'TIMEOUT' : 'INTERNAL', retry: 'seldom' }
  }
}
