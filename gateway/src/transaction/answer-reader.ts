import { isUtf8 } from 'node:buffer'
import { type TokenUsage, USAGE_MEMBERS } from '@llm-gateway/protocol'
import type { JsonScan } from '../json/chunk-scan.ts'
import type { JsonEngine } from '../json/json-scan.ts'
import { BodyCopy } from '../memory/body-copy.ts'
import type { Holding } from '../memory/memory-account.ts'
import { StreamReader } from '../stream/stream-reader.ts'
import type { TurnBudget } from '../work/turn-budget.ts'
import { usageOfBytes } from './answer-usage.ts'
import { jsonPayload, oversizedPayload, type Payload, type PayloadContext, payloadOf, shownBytes } from './payload.ts'

/** From here on a text is judged in a turn of its own. */
const LONG_BYTES = 1024 * 1024

/** An answer's body once it was read. `usage`: the tokens it says it used. */
export type ReadAnswer = { readonly payload: Payload; readonly usage: TokenUsage | undefined }

export type AnswerReaderOptions = {
  readonly holding: Holding
  readonly json: JsonEngine
  readonly turn: TurnBudget
  readonly jsonDepth: number
  /** Bytes of which a copy is kept; a longer body is shown by its beginning. */
  readonly limitBytes: number
  /** The body is server-sent events. */
  readonly streamed: boolean
  /** The bytes are needed beside the message that a stream becomes: they may leave as they came. */
  readonly keepsBytes: boolean
}

/**
 * Reads an answer's body as it arrives, decoded: keeps a copy for the record, judges JSON and puts a stream's message
 * together piece by piece, so that nothing large is left to be done when the answer ends.
 */
export class AnswerReader {
  readonly copy: BodyCopy
  readonly #options: AnswerReaderOptions
  readonly #stream: StreamReader | undefined
  #streamBytes = 0
  #first: Buffer | undefined
  #scan: JsonScan | undefined

  constructor(options: AnswerReaderOptions) {
    this.copy = new BodyCopy(options.limitBytes, options.holding)
    this.#options = options
    this.#stream = options.streamed ? new StreamReader(options.turn) : undefined
  }

  /** The stream becomes a message, whose bytes aren't needed. */
  get recognized(): boolean {
    return this.#stream?.state === 'recognized'
  }

  /** A stream's last event has come: clients leave on reading it, and what is left is only the connection's end. */
  get hasEnded(): boolean {
    return this.#stream?.hasEnded === true
  }

  /** False where the reading is behind: the sender should wait for the event loop's next turn. */
  add(chunk: Buffer): boolean {
    if (this.#stream !== undefined) return this.#addToStream(this.#stream, chunk)
    this.copy.add(chunk)
    if (this.#first === undefined) {
      this.#first = chunk
      return true
    }
    const start = performance.now()
    const scan = this.#scan ?? this.#begin(this.#first)
    scan.add(chunk)
    return !this.#options.turn.spend(performance.now() - start)
  }

  /** Once all was added. */
  finish(context: PayloadContext): ReadAnswer | Promise<ReadAnswer> {
    if (this.#stream !== undefined) return this.#finishStream(this.#stream, context)
    const { copy } = this
    const judged = this.#scan?.end()
    this.#cutBeyond(context.most + (judged?.spaces ?? 0))
    const bytes = copy.join()
    if (copy.isCut) return { payload: oversizedPayload(bytes, copy.totalBytes), usage: undefined }
    const { json, jsonDepth } = this.#options
    const scanned = judged ?? json.scan(bytes, jsonDepth)
    const usage = usageOfBytes(bytes, scanned)
    return this.#counted(payloadOf(bytes, scanned, context), usage)
  }

  /** Most answers come in one piece, which is judged at the end in one step. */
  #begin(first: Buffer): JsonScan {
    const scan = this.#options.json.begin(this.#options.jsonDepth, USAGE_MEMBERS)
    scan.add(first)
    this.#scan = scan
    return scan
  }

  #addToStream(stream: StreamReader, chunk: Buffer): boolean {
    // Of a stream that becomes a message only the message is kept.
    if (this.recognized && !this.#options.keepsBytes) this.copy.cut()
    this.copy.add(chunk)
    const isBehind = stream.add(chunk)
    const held = stream.heldBytes
    this.#options.holding.add(held - this.#streamBytes)
    this.#streamBytes = held
    return !isBehind
  }

  async #finishStream(stream: StreamReader, context: PayloadContext): Promise<ReadAnswer> {
    const outcome = stream.finish()
    this.#options.holding.release(this.#streamBytes)
    this.#streamBytes = 0
    if (outcome.kind === 'message') {
      this.#options.holding.add(outcome.json.length)
      return { payload: jsonPayload(outcome.json), usage: outcome.usage }
    }
    const { copy } = this
    this.#cutBeyond(context.most)
    const bytes = copy.join()
    if (copy.isCut) return { payload: oversizedPayload(bytes, copy.totalBytes), usage: undefined }
    // Joining a long stream and judging its text are two slices.
    if (bytes.length > LONG_BYTES) await context.slice.next()
    const kind = isUtf8(bytes) ? 'text' : 'binary'
    const usage = usageOfBytes(bytes, { kind, members: [] })
    return this.#counted(payloadOf(bytes, { kind, spaces: 0 }, context), usage)
  }

  /** A body that no record takes is not put together for it. */
  #cutBeyond(most: number): void {
    if (!this.#options.keepsBytes && this.copy.totalBytes > most) this.copy.cut()
  }

  #counted(payload: Payload | Promise<Payload>, usage: TokenUsage | undefined): ReadAnswer | Promise<ReadAnswer> {
    if (payload instanceof Promise) return payload.then((made) => this.#counted(made, usage))
    this.#options.holding.add(shownBytes(payload))
    return { payload, usage }
  }
}
