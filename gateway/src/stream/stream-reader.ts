import { isUtf8 } from 'node:buffer'
import type { TokenUsage } from '@llm-gateway/protocol'
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
 * `undecided`: no event of a known kind came yet. `recognized`: the stream makes a message, its bytes aren't needed any more.
 * `unknown`: a thousand events were of no known kind. `beyond bounds`: more than may be held or done for one answer.
 */
export type StreamState = 'undecided' | 'recognized' | 'unknown' | 'beyond bounds'

export type StreamOutcome =
  | { readonly kind: 'message'; readonly json: Buffer; readonly usage: TokenUsage | undefined }
  /** The events were of no known kind: the record has the text. */
  | { readonly kind: 'none' }
  | { readonly kind: 'beyond bounds' }

/** Events that are looked at before a stream counts as one of no known kind. */
const MOST_UNKNOWN = 1_000
/** Objects that JSON.parse refuses; each costs three times what a good one does, and an honest stream has one, its torn end. */
const MOST_BROKEN = 100
/** The shortest object that says something to any assembly is `{"error":{}}`. */
const SHORTEST = 12
/** Up to this size neither depth nor values can be beyond bounds: a level takes two bytes. */
const SHALLOW_BYTES = 1_000
/** Smaller texts of broken UTF-8 are as cheap as others. */
const LARGE_BYTES = 64 * 1024
/** The mark of OpenAI's APIs behind the last event. */
const END_MARK = '[DONE]'
/** Memory that the objects of a reader take before anything is held. */
const OWN_BYTES = 2_048

/**
 * Assembles the message of an event stream while it arrives: the message that the LLM API would have answered without
 * streaming (docs/reference/record.md#streams). A stream that broke off gives what arrived. Never throws. Time is
 * linear in the bytes; memory holds the message as JSON and one event, both bounded.
 */
export class StreamReader {
  readonly #turn: TurnBudget
  #messageSize = new MessageSize()
  readonly #splitter = new EventSplitter((event) => this.#take(event))
  #kinds: readonly Assembly[]
  #chosen: Assembly | undefined
  #unknown = 0
  #broken = 0
  #hasEnded = false
  #isBeyondBounds = false

  constructor(turn: TurnBudget) {
    this.#turn = turn
    this.#kinds = [
      new ChatCompletionAssembly(this.#messageSize),
      new AnthropicMessageAssembly(this.#messageSize),
      new OpenaiResponseAssembly(this.#messageSize),
    ]
  }

  get state(): StreamState {
    if (this.#isBeyondBounds) return 'beyond bounds'
    if (this.#chosen?.isSure === true) return 'recognized'
    return this.#unknown < MOST_UNKNOWN ? 'undecided' : 'unknown'
  }

  /** Whether the last event has come: clients leave on reading it, and what is left is only the connection's end. */
  get hasEnded(): boolean {
    return this.#hasEnded || this.#splitter.holds(END_MARK)
  }

  /** An upper estimate of the memory that is held at this moment. */
  get heldBytes(): number {
    return OWN_BYTES + this.#splitter.heldBytes + this.#messageSize.memoryBytes
  }

  /**
   * Takes the next bytes; the chunk is not kept. True: the readers of this process have had their share of this turn of the
   * event loop, so the answer should wait for the next one (a `setImmediate` that is asked for now comes in time).
   */
  add(chunk: Buffer): boolean {
    if (this.#isBeyondBounds) return false
    const start = performance.now()
    this.#splitter.add(chunk)
    if (this.#splitter.isBeyondBounds || this.#messageSize.isBeyondBounds) this.#exceed()
    return this.#turn.spend(performance.now() - start)
  }

  /** The stream is over. Nothing is held afterwards. */
  finish(): StreamOutcome {
    const start = performance.now()
    if (!this.#isBeyondBounds) this.#splitter.finish()
    if (this.#messageSize.isBeyondBounds) this.#exceed()
    const outcome = this.#outcome()
    this.#letGo()
    this.#turn.spend(performance.now() - start)
    return outcome
  }

  #outcome(): StreamOutcome {
    if (this.#isBeyondBounds) return { kind: 'beyond bounds' }
    const message = this.#chosen?.finish()
    if (message === undefined) return { kind: 'none' }
    return { kind: 'message', json: message.json.toBuffer(), usage: message.usage }
  }

  #exceed(): void {
    this.#isBeyondBounds = true
    this.#letGo()
  }

  #letGo(): void {
    this.#kinds = []
    this.#chosen = undefined
    this.#splitter.release()
    this.#messageSize = new MessageSize()
  }

  #take(event: EventData): void {
    const { start, end } = event
    if (this.#isBeyondBounds || this.#messageSize.isBeyondBounds) return
    this.#hasEnded = end - start === END_MARK.length && latin1(event) === END_MARK
    if (end - start < SHORTEST || this.#unknown >= MOST_UNKNOWN) return
    const value = this.#parse(event)
    if (value !== undefined) this.#assemble(value)
  }

  #assemble(value: JsonObject): void {
    if (this.#chosen === undefined) {
      this.#chosen = this.#kinds.find((kind) => kind.take(value))
      if (this.#chosen === undefined) this.#unknown += 1
      else this.#kinds = []
    } else this.#chosen.take(value)
    if (this.#chosen?.hasEnded === true) this.#hasEnded = true
  }

  /** Undefined for `[DONE]`, pings in words, numbers, lists and the torn last event of a broken stream. */
  #parse(event: EventData): JsonObject | undefined {
    const { bytes, start, end, isAscii } = event
    if (!beginsObject(bytes, start, end)) return undefined
    if (end - start > SHALLOW_BYTES && !this.#isWithinBounds(event)) {
      this.#exceed()
      return undefined
    }
    try {
      // Most events are ASCII, and latin1 of it is a plain copy.
      const value: unknown = JSON.parse(isAscii ? latin1(event) : bytes.toString('utf8', start, end))
      return isJsonObject(value) ? value : undefined
    } catch {
      this.#broken += 1
      if (this.#broken > MOST_BROKEN) this.#exceed()
      return undefined
    }
  }

  #isWithinBounds({ bytes, start, end, isAscii, shape = new JsonShape() }: EventData): boolean {
    shape.look(bytes, start, end)
    if (shape.isBeyondBounds) return false
    // Each broken byte of a large text would become a character of two bytes, and cost ten times what a good one does.
    return isAscii || end - start < LARGE_BYTES || isUtf8(bytes.subarray(start, end))
  }
}

function latin1({ text, bytes, start, end }: EventData): string {
  return text === undefined ? bytes.toString('latin1', start, end) : text.slice(start, end)
}

/** White space may stand before it. */
function beginsObject(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0
    if (byte > 0x20) return byte === 0x7b
  }
  return false
}
