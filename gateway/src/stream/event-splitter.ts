import { isAscii } from 'node:buffer'
import { JsonShape } from './json-shape.ts'

/** The data of one event, a part of `bytes` that is valid until the receiver returns. */
export type EventData = {
  /** `bytes` as Latin-1; undefined where the data came in several pieces. */
  readonly text: string | undefined
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
  readonly isAscii: boolean
  /** The shape of the data before its last piece; undefined for short data. */
  readonly shape: JsonShape | undefined
}

/**
 * The most bytes of an event's data. V8 and this code take up to 30 ms of the main thread for 4 MiB; JsonShape refuses
 * texts that take longer. The largest real events are images of some 3 MB in base64.
 */
const MAX_EVENT_BYTES = 4 * 1024 * 1024
/** The size from which an event's shape is checked while its bytes arrive. */
const LARGE_BYTES = 16 * 1024
const FIRST_BYTES = 512
/** A buffer that grew beyond this size for an event is dropped afterwards. */
const KEPT_BYTES = 64 * 1024

/** Lines up to this length are searched byte by byte: hostile streams send millions of them, real data is longer. */
const SHORT_BYTES = 32

const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a
const SPACE = 0x20
const NAME = Buffer.from('data')
const NOTHING = Buffer.alloc(0)
const MARK = Buffer.from([0xef, 0xbb, 0xbf])

/** The position of the next byte in its line. */
type LinePosition = 'mark' | 'name' | 'space' | 'value' | 'ignored'

/**
 * Splits the bytes of a `text/event-stream` into events (WHATWG HTML, 9.2.6) as they arrive, in linear time.
 * Only data is reported: the data of known streams repeats the events' names. Only data is held, so that an endless
 * comment takes no memory. Unlike in a browser, `finish` also reports the last event of a stream that broke off.
 */
export class EventSplitter {
  readonly #onEvent: (event: EventData) => void
  #position: LinePosition = 'mark'
  /** The matched bytes of the byte order mark or of the field's name. */
  #matched = 0
  #isAfterCr = false
  /** The number of complete data lines, and whether an incomplete one is held. */
  #lines = 0
  #isLineOpen = false
  /** The position of the only data line so far within the current chunk; its bytes aren't held then. */
  #start = -1
  #end = -1
  #held = Buffer.alloc(0)
  #length = 0
  #isHeldAscii = true
  #isChunkAscii = true
  /** The current chunk as Latin-1: V8 searches and slices a string without a call into Node. */
  #text = ''
  /** The positions of the next LF and CR in the current chunk; the chunk's length where there is none. */
  #lf = -1
  #cr = -1
  #shape: JsonShape | undefined
  #isBeyondBounds = false

  constructor(onEvent: (event: EventData) => void) {
    this.#onEvent = onEvent
  }

  get heldBytes(): number {
    return this.#held.length
  }

  /** True once an event was too large; nothing is held from then on. */
  get isBeyondBounds(): boolean {
    return this.#isBeyondBounds
  }

  /** Returns true where the incomplete event has this data; a caller may leave before the blank line arrives. */
  holds(data: string): boolean {
    return this.#length === data.length && this.#held.toString('latin1', 0, this.#length) === data
  }

  add(chunk: Buffer): void {
    this.#isChunkAscii = isAscii(chunk)
    this.#text = chunk.toString('latin1')
    this.#lf = -1
    this.#cr = -1
    let at = 0
    if (this.#isAfterCr && chunk.length > 0) {
      this.#isAfterCr = false
      if (chunk[0] === LF) at = 1
    }
    while (at < chunk.length && !this.#isBeyondBounds) at = this.#readByte(chunk, at)
    if (this.#start >= 0) this.#holdLine(chunk)
    this.#text = ''
  }

  /** Ends the stream; its last event may lack its end. */
  finish(): void {
    const isLine = this.#isLineOpen || this.#position === 'space' || this.#position === 'value'
    // A line of the bare name has empty data.
    if (isLine || (this.#position === 'name' && this.#matched === NAME.length)) this.#piece(NOTHING, 0, 0)
    this.#endEvent(NOTHING)
    this.release()
  }

  /** Drops all held bytes; nothing may be added afterwards. */
  release(): void {
    this.#held = Buffer.alloc(0)
    this.#length = 0
    this.#shape = undefined
  }

  #readByte(chunk: Buffer, at: number): number {
    switch (this.#position) {
      case 'value':
        return this.#value(chunk, at)
      case 'name':
        return this.#name(chunk, at)
      case 'space':
        this.#position = 'value'
        return chunk[at] === SPACE ? at + 1 : at
      case 'ignored':
        return this.#ignored(chunk, at)
      case 'mark':
        return this.#mark(chunk, at)
      default:
        return this.#position satisfies never
    }
  }

  #mark(chunk: Buffer, at: number): number {
    if (chunk[at] === MARK[this.#matched]) {
      this.#matched += 1
      if (this.#matched < MARK.length) return at + 1
    }
    // An incomplete mark belongs to a field of another name.
    this.#position = this.#matched === 0 || this.#matched === MARK.length ? 'name' : 'ignored'
    const next = this.#matched === MARK.length ? at + 1 : at
    this.#matched = 0
    return next
  }

  #name(chunk: Buffer, from: number): number {
    let at = from
    if (this.#matched === 0 && this.#lines === 0) while (chunk[at] === LF) at += 1
    while (this.#matched < NAME.length && at < chunk.length && chunk[at] === NAME[this.#matched]) {
      this.#matched += 1
      at += 1
    }
    if (at === chunk.length) return at
    const byte = chunk[at]
    if (byte === LF || byte === CR) {
      if (this.#matched === 0) this.#endEvent(chunk)
      else if (this.#matched === NAME.length) this.#piece(chunk, at, at)
      return this.#endLine(chunk, at)
    }
    this.#position = byte === COLON && this.#matched === NAME.length ? 'space' : 'ignored'
    return at + 1
  }

  #ignored(chunk: Buffer, from: number): number {
    const end = this.#lineEnd(chunk, from)
    return end === chunk.length ? end : this.#endLine(chunk, end)
  }

  #value(chunk: Buffer, from: number): number {
    const end = this.#lineEnd(chunk, from)
    if (end === chunk.length) {
      this.#openPiece(chunk, from)
      return end
    }
    this.#piece(chunk, from, end)
    return this.#endLine(chunk, end)
  }

  /**
   * Finds the end of a line: byte by byte in a short line, with V8's search in the rest of a long line, since that
   * search is faster once started.
   */
  #lineEnd(chunk: Buffer, from: number): number {
    const short = Math.min(from + SHORT_BYTES, chunk.length)
    for (let at = from; at < short; at++) if (chunk[at] === LF || chunk[at] === CR) return at
    // LF and CR are searched again only once passed; otherwise each line would search a chunk without CR to its end.
    if (this.#lf < short) this.#lf = find(this.#text, '\n', short)
    if (this.#cr < short) this.#cr = find(this.#text, '\r', short)
    return Math.min(this.#lf, this.#cr)
  }

  #endLine(chunk: Buffer, at: number): number {
    this.#position = 'name'
    this.#matched = 0
    if (chunk[at] === LF) return at + 1
    if (at + 1 === chunk.length) this.#isAfterCr = true
    return chunk[at + 1] === LF ? at + 2 : at + 1
  }

  /** Takes the last piece of a data line, from `start` to `end`. */
  #piece(chunk: Buffer, start: number, end: number): void {
    if (this.#lines === 0 && !this.#isLineOpen) {
      this.#start = start
      this.#end = end
    } else {
      this.#beginPiece(chunk)
      this.#hold(chunk, start, end)
    }
    this.#isLineOpen = false
    this.#lines += 1
  }

  /** Takes a piece of a data line that continues in the next chunk. */
  #openPiece(chunk: Buffer, start: number): void {
    this.#beginPiece(chunk)
    this.#hold(chunk, start, chunk.length)
    this.#isLineOpen = true
  }

  /** Holds the bytes before this piece: the line in the chunk, and the LF between two lines. */
  #beginPiece(chunk: Buffer): void {
    if (this.#start >= 0) this.#holdLine(chunk)
    if (this.#isLineOpen || this.#lines === 0) return
    this.#makeRoom(1)
    this.#held[this.#length] = LF
    this.#length += 1
  }

  #holdLine(chunk: Buffer): void {
    this.#hold(chunk, this.#start, this.#end)
    this.#start = -1
  }

  #hold(chunk: Buffer, start: number, end: number): void {
    if (this.#length + end - start > MAX_EVENT_BYTES) {
      this.#exceed()
      return
    }
    if (end === start) return
    this.#isHeldAscii &&= this.#isChunkAscii
    this.#makeRoom(end - start)
    chunk.copy(this.#held, this.#length, start, end)
    this.#length += end - start
    if (this.#length <= LARGE_BYTES) return
    this.#shape ??= new JsonShape()
    this.#shape.scan(this.#held, 0, this.#length)
    if (this.#shape.isBeyondBounds) this.#exceed()
  }

  #endEvent(chunk: Buffer): void {
    if (this.#lines === 0) return
    const shape = this.#shape
    if (this.#start < 0) {
      const isAscii = this.#isHeldAscii
      this.#emit({ text: undefined, bytes: this.#held, start: 0, end: this.#length, isAscii, shape })
    } else {
      const isAscii = this.#isChunkAscii
      this.#emit({ text: this.#text, bytes: chunk, start: this.#start, end: this.#end, isAscii, shape })
    }
    this.#start = -1
    this.#lines = 0
    this.#isHeldAscii = true
    this.#length = 0
    this.#shape = undefined
    if (this.#held.length > KEPT_BYTES) this.#held = Buffer.alloc(0)
  }

  #emit(event: EventData): void {
    if (event.end - event.start > MAX_EVENT_BYTES) this.#exceed()
    else this.#onEvent(event)
  }

  #exceed(): void {
    this.#isBeyondBounds = true
    this.#start = -1
    this.release()
  }

  /** Doubles the buffer, so that each byte is copied once on average. */
  #makeRoom(bytes: number): void {
    const wanted = this.#length + bytes
    if (wanted <= this.#held.length) return
    const larger = Buffer.allocUnsafeSlow(
      Math.max(wanted, Math.min(2 * this.#held.length, MAX_EVENT_BYTES), FIRST_BYTES),
    )
    this.#held.copy(larger, 0, 0, this.#length)
    this.#held = larger
  }
}

function find(text: string, character: string, from: number): number {
  const at = text.indexOf(character, from)
  return at < 0 ? text.length : at
}
