import { isUtf8 } from 'node:buffer'
import { type TokenUsage, USAGE_MEMBERS } from '@llm-gateway/protocol'
import type { JsonScan } from '../json/chunk-scan.ts'
import type { JsonEngine } from '../json/json-scan.ts'
import type { ScanResult } from '../json/scan-result.ts'
import { BodyCopy } from '../memory/body-copy.ts'
import type { CallMemory } from '../memory/memory-account.ts'
import { StreamReader } from '../stream/stream-reader.ts'
import type { TurnBudget } from '../work/turn-budget.ts'
import { usageOfBytes } from './answer-usage.ts'
import { createCountedPayload, jsonPayload, oversizedPayload, type Payload, type PayloadContext } from './payload.ts'

/** The size above which a stream's text is checked in a slice of its own. */
const LONG_BYTES = 1024 * 1024
/**
 * The rough main-thread cost in milliseconds of a chunk beside its reading: the HTTP parser of the LLM API's connection
 * and the write to the caller. Without this cost, a hundred answers of one-byte chunks took 60 ms of a turn.
 */
export const PASSED_CHUNK_MS = 0.004
/** A stream's bytes are copied, and the message that grows of them counts twice. */
const STREAM_COPIES = 3

/**
 * The payload of an answer that was read; `usage` is the token usage stated in the answer. `isOverloaded`: the payload
 * shows only the answer's beginning, because the memory account had no room for more.
 */
export type AnswerContent = {
  readonly payload: Payload
  readonly usage: TokenUsage | undefined
  readonly isOverloaded?: true
}

type Scanned = Pick<ScanResult, 'kind' | 'spaces' | 'members'>

export type AnswerReaderOptions = {
  readonly memory: CallMemory
  readonly json: JsonEngine
  readonly budget: TurnBudget
  readonly jsonDepth: number
  /** The largest copy in bytes; a longer body is shown by its beginning. */
  readonly limitBytes: number
  /** True for a body of server-sent events. */
  readonly isStreamed: boolean
  /** True where a stream's bytes are kept beside its assembled message, because they may be sent unchanged. */
  readonly keepsBytes: boolean
}

/**
 * Reads an answer's decoded body as it arrives. The reader copies the body for the record, checks JSON and assembles a
 * stream's message piece by piece, so that little work remains at the end.
 */
export class AnswerReader {
  readonly copy: BodyCopy
  readonly #options: AnswerReaderOptions
  readonly #stream: StreamReader | undefined
  #streamBytes = 0
  /** The copy's first piece, until a second one comes. */
  #first: Buffer | undefined
  #scan: JsonScan | undefined

  constructor(options: AnswerReaderOptions) {
    this.copy = new BodyCopy(options.limitBytes, options.memory)
    this.#options = options
    this.#stream = options.isStreamed ? new StreamReader(options.budget, options.json) : undefined
  }

  /** True while the stream is being assembled to a message, which replaces its bytes. */
  get isRecognized(): boolean {
    return this.#stream?.state === 'recognized'
  }

  /**
   * True once a stream's last event has arrived: clients disconnect on reading that event, before the connection ends.
   */
  get hasEnded(): boolean {
    return this.#stream?.hasEnded === true
  }

  /** Returns true where the memory account has room for `bytes` more and for the message that grows of them. */
  hasRoom(bytes: number): boolean {
    return this.copy.hasRoom(this.#stream === undefined ? bytes : STREAM_COPIES * bytes)
  }

  /** Returns false while reading is behind: the sender should wait for the next turn of the event loop. */
  add(chunk: Buffer): boolean {
    const { budget } = this.#options
    budget.spend(PASSED_CHUNK_MS)
    if (this.#stream !== undefined) return this.#addToStream(this.#stream, chunk)
    this.copy.add(chunk)
    if (this.copy.isCut) return this.#leaveScan()
    if (this.#scan === undefined && this.#first === undefined) {
      // The copy's piece, because the chunk itself may keep 64 KiB of memory for a byte.
      this.#first = this.copy.chunks[0]
      return true
    }
    const start = performance.now()
    const scan = this.#scan ?? this.#begin()
    scan.add(chunk)
    return !budget.spend(performance.now() - start)
  }

  /** Makes the payload; called once after the last `add`. */
  finish(context: PayloadContext): AnswerContent | Promise<AnswerContent> {
    if (this.#stream !== undefined) return this.#finishStream(this.#stream, context)
    const { copy } = this
    const judged = this.#scan?.end()
    this.#cutBeyond(context.maxBytes + (judged?.spaces ?? 0))
    const bytes = copy.join()
    if (copy.isCut) return { payload: oversizedPayload(bytes, copy.totalBytes), usage: undefined }
    const { json, jsonDepth } = this.#options
    return this.#show(bytes, judged ?? json.scan(bytes, jsonDepth), context)
  }

  /** Begins to scan piece by piece; called with the second piece. An answer of only one piece is scanned at its end. */
  #begin(): JsonScan {
    const scan = this.#options.json.begin(this.#options.jsonDepth, USAGE_MEMBERS)
    if (this.#first !== undefined) scan.add(this.#first)
    this.#first = undefined
    this.#scan = scan
    return scan
  }

  /** Forgets the scan, which nobody asks for an answer that is shown by its beginning; its state isn't counted. */
  #leaveScan(): boolean {
    this.#scan = undefined
    this.#first = undefined
    return !this.#options.budget.isSpent
  }

  #addToStream(stream: StreamReader, chunk: Buffer): boolean {
    // Of a recognized stream only the assembled message is kept.
    if (this.isRecognized && !this.#options.keepsBytes) this.copy.cut()
    this.copy.add(chunk)
    const isBehind = stream.add(chunk)
    this.#countStream(stream)
    return !isBehind
  }

  /**
   * Counts the bytes that the stream's reader holds. Without room for further bytes, the record shows only the
   * beginning of the stream.
   */
  #countStream(stream: StreamReader): void {
    const { memory } = this.#options
    const grown = stream.heldBytes - this.#streamBytes
    if (grown <= 0) memory.add(grown)
    else if (!memory.take(grown)) {
      stream.giveUp()
      this.copy.cut()
      memory.add(stream.heldBytes - this.#streamBytes)
    }
    this.#streamBytes = stream.heldBytes
  }

  async #finishStream(stream: StreamReader, context: PayloadContext): Promise<AnswerContent> {
    const outcome = stream.finish()
    this.#options.memory.release(this.#streamBytes)
    this.#streamBytes = 0
    if (outcome.kind === 'message') {
      this.#options.memory.add(outcome.json.length)
      return { payload: jsonPayload(outcome.json), usage: outcome.usage }
    }
    const { copy } = this
    this.#cutBeyond(context.maxBytes)
    const bytes = copy.join()
    if (copy.isCut) return { payload: oversizedPayload(bytes, copy.totalBytes), usage: undefined }
    // Joining a long stream and checking its text are two slices.
    if (bytes.length > LONG_BYTES) await context.slice.next()
    return this.#show(bytes, { kind: isUtf8(bytes) ? 'text' : 'binary', spaces: 0, members: [] }, context)
  }

  /** Cuts a copy that is too large for any record before the copy is joined. */
  #cutBeyond(most: number): void {
    if (!this.#options.keepsBytes && this.copy.totalBytes > most) this.copy.cut()
  }

  #show(bytes: Buffer, scanned: Scanned, context: PayloadContext): AnswerContent | Promise<AnswerContent> {
    const usage = usageOfBytes(bytes, scanned)
    const payload = createCountedPayload(bytes, scanned, context)
    if (payload instanceof Promise) return payload.then((made) => ({ payload: made, usage }))
    if (payload !== undefined) return { payload, usage }
    this.copy.cut()
    return { payload: oversizedPayload(this.copy.join(), bytes.length), usage, isOverloaded: true }
  }
}
