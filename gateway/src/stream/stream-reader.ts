import { isUtf8 } from 'node:buffer'
import type { TokenUsage } from '@llm-gateway/protocol'
import type { JsonEngine } from '../json/json-scan.ts'
import type { TurnBudget } from '../work/turn-budget.ts'
import { AnthropicMessageAssembly } from './assemble-anthropic-message.ts'
import { ChatCompletionAssembly } from './assemble-chat-completion.ts'
import { OpenaiResponseAssembly } from './assemble-openai-response.ts'
import type { Assembly } from './assembly.ts'
import { type EventData, EventSplitter } from './event-splitter.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'
import { JsonShape } from './json-shape.ts'
import { MessageSize } from './message-size.ts'

/**
 * The state of a stream. `undecided`: no event of a known kind yet. `recognized`: the stream becomes a message that
 * replaces its bytes. `unknown`: a thousand events were of no known kind. `beyond bounds`: the stream exceeds the
 * limits of one answer.
 */
export type StreamState = 'undecided' | 'recognized' | 'unknown' | 'beyond bounds'

export type StreamOutcome =
  | { readonly kind: 'message'; readonly json: Buffer; readonly usage: TokenUsage | undefined }
  /** The events were of no known kind, so that the record shows the text. */
  | { readonly kind: 'none' }
  | { readonly kind: 'beyond bounds' }

/** The number of events after which a stream counts as unknown. */
const MAX_UNKNOWN = 1_000
/**
 * The most objects that JSON.parse refuses. Each takes three times as long as a valid object; a real stream has at most
 * one, its torn end.
 */
const MAX_UNPARSABLE = 100
/** The length of the shortest object that an assembly can use: `{"error":{}}`. */
const MIN_OBJECT_BYTES = 12
/** A text up to this size can't exceed depth or values: a level takes two bytes. */
const SHALLOW_BYTES = 1_000
/** The size from which UTF-8 is checked; smaller broken texts aren't slower than valid texts. */
const LARGE_BYTES = 64 * 1024
/** The mark of OpenAI's APIs after the last event. */
const END_MARK = '[DONE]'
/** The memory of a reader's own objects. */
const READER_BYTES = 2_048

/**
 * Assembles the message of an event stream as it arrives: the message that the LLM API would have sent without
 * streaming (docs/reference/record.md#streams). A stream that broke off gives the message so far. Never throws. The
 * time is linear in the bytes; the memory holds the message as JSON and one event, both bounded.
 */
export class StreamReader {
  readonly #turn: TurnBudget
  #messageSize = new MessageSize()
  readonly #splitter = new EventSplitter((event) => this.#take(event))
  #candidates: readonly Assembly[]
  #assembly: Assembly | undefined
  #unknown = 0
  #unparsable = 0
  /** The bytes of the largest event that was parsed, apart from short ones. */
  #largestEvent = 0
  #hasEnded = false
  #isBeyondBounds = false

  constructor(turn: TurnBudget, json: JsonEngine) {
    this.#turn = turn
    this.#candidates = [
      new ChatCompletionAssembly(this.#messageSize),
      new AnthropicMessageAssembly(this.#messageSize, json, () => this.#largestEvent),
      new OpenaiResponseAssembly(this.#messageSize),
    ]
  }

  get state(): StreamState {
    if (this.#isBeyondBounds) return 'beyond bounds'
    if (this.#assembly?.isRecognized === true) return 'recognized'
    return this.#unknown < MAX_UNKNOWN ? 'undecided' : 'unknown'
  }

  /** True once the last event has arrived: clients disconnect on reading it, before the connection ends. */
  get hasEnded(): boolean {
    return this.#hasEnded || this.#splitter.holds(END_MARK)
  }

  /** An upper estimate of the memory held now. */
  get heldBytes(): number {
    return READER_BYTES + this.#splitter.heldBytes + this.#messageSize.memoryBytes
  }

  /**
   * Takes the next bytes without keeping the chunk. Returns true where all readers of the process have used up this
   * turn's budget, so that the answer should wait for the next turn (a `setImmediate` requested now runs in time).
   */
  add(chunk: Buffer): boolean {
    if (this.#isBeyondBounds) return false
    const start = performance.now()
    this.#splitter.add(chunk)
    if (this.#splitter.isBeyondBounds || this.#messageSize.isBeyondBounds) this.#exceed()
    return this.#turn.spend(performance.now() - start)
  }

  /** Drops all held bytes, because there is no room for more; the stream is then beyond bounds. */
  giveUp(): void {
    this.#exceed()
  }

  /** Ends the stream and drops all held bytes. */
  finish(): StreamOutcome {
    const start = performance.now()
    if (!this.#isBeyondBounds) this.#splitter.finish()
    if (this.#messageSize.isBeyondBounds) this.#exceed()
    const outcome = this.#outcome()
    this.#clear()
    this.#turn.spend(performance.now() - start)
    return outcome
  }

  #outcome(): StreamOutcome {
    if (this.#isBeyondBounds) return { kind: 'beyond bounds' }
    const message = this.#assembly?.finish()
    if (message === undefined) return { kind: 'none' }
    return { kind: 'message', json: message.json.toBuffer(), usage: message.usage }
  }

  #exceed(): void {
    this.#isBeyondBounds = true
    this.#clear()
  }

  #clear(): void {
    this.#candidates = []
    this.#assembly = undefined
    this.#splitter.release()
    this.#messageSize = new MessageSize()
  }

  #take(event: EventData): void {
    const { start, end } = event
    if (this.#isBeyondBounds || this.#messageSize.isBeyondBounds) return
    this.#hasEnded = end - start === END_MARK.length && latin1(event) === END_MARK
    if (end - start < MIN_OBJECT_BYTES || this.#unknown >= MAX_UNKNOWN) return
    const value = this.#parse(event)
    if (value !== undefined) this.#assemble(value)
  }

  #assemble(value: JsonObject): void {
    if (this.#assembly === undefined) {
      this.#assembly = this.#candidates.find((kind) => kind.take(value))
      if (this.#assembly === undefined) this.#unknown += 1
      else this.#candidates = []
    } else this.#assembly.take(value)
    if (this.#assembly?.hasEnded === true) this.#hasEnded = true
  }

  /** Returns undefined for `[DONE]`, pings in words, numbers, lists and the torn last event of a broken stream. */
  #parse(event: EventData): JsonObject | undefined {
    const { bytes, start, end, isAscii } = event
    if (!beginsObject(bytes, start, end)) return undefined
    if (end - start > SHALLOW_BYTES) {
      if (!this.#isWithinBounds(event)) {
        this.#exceed()
        return undefined
      }
      this.#largestEvent = Math.max(this.#largestEvent, end - start)
    }
    try {
      // Most events are ASCII, which latin1 decodes as a plain copy.
      const value: unknown = JSON.parse(isAscii ? latin1(event) : bytes.toString('utf8', start, end))
      return isJsonObject(value) ? value : undefined
    } catch {
      this.#unparsable += 1
      if (this.#unparsable > MAX_UNPARSABLE) this.#exceed()
      return undefined
    }
  }

  #isWithinBounds({ bytes, start, end, isAscii, shape = new JsonShape() }: EventData): boolean {
    shape.scan(bytes, start, end)
    if (shape.isBeyondBounds) return false
    // Each broken byte of a large text would become a character of two bytes and take ten times as long as a valid
    // byte.
    return isAscii || end - start < LARGE_BYTES || isUtf8(bytes.subarray(start, end))
  }
}

function latin1({ text, bytes, start, end }: EventData): string {
  return text === undefined ? bytes.toString('latin1', start, end) : text.slice(start, end)
}

/** Returns true where the first byte that isn't white space begins an object. */
function beginsObject(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0
    if (byte > 0x20) return byte === 0x7b
  }
  return false
}
