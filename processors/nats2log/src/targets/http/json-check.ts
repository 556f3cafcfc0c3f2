import { isUtf8 } from 'node:buffer'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** The bytes checked in one turn of the event loop: some 10 ms. */
const SLICE_BYTES = 1024 * 1024
/** No target's parser goes deeper; the limit bounds the memory for open brackets. */
const MOST_DEPTH = 100_000

/** The part of the JSON grammar that the next byte belongs to. */
type Place =
  | 'value'
  | 'first item'
  | 'first name'
  | 'name'
  | 'colon'
  | 'behind value'
  | 'string'
  | 'escape'
  | 'hex'
  | 'number'
  | 'word'

const [QUOTE, BACKSLASH, OPENING_BRACE, OPENING_BRACKET] = [0x22, 0x5c, 0x7b, 0x5b]
const [CLOSING_BRACE, CLOSING_BRACKET, COMMA, COLON, LETTER_U] = [0x7d, 0x5d, 0x2c, 0x3a, 0x75]
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])
const ESCAPED: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'))
const WORDS: ReadonlyMap<number, string> = new Map([
  [0x74, 'true'],
  [0x66, 'false'],
  [0x6e, 'null'],
])
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const NUMBER_BYTES: ReadonlySet<number> = new Set(Buffer.from('+-.0123456789eE'))
/** Longer numbers are refused. */
const MOST_NUMBER_BYTES = 4_096

/**
 * Returns whether the bytes are one JSON value (RFC 8259). Nothing is parsed, so any depth is allowed. A long text
 * takes several turns of the event loop.
 */
export async function isJson(bytes: Uint8Array): Promise<boolean> {
  if (!isUtf8(bytes)) return false
  const check = new JsonCheck()
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    if (start > 0) await nextTurn()
    if (!check.take(bytes.subarray(start, start + SLICE_BYTES))) return false
  }
  return check.end()
}

class JsonCheck {
  #place: Place = 'value'
  /** One entry for each open bracket: true for a brace. */
  readonly #open: boolean[] = []
  #isName = false
  #hexLeft = 0
  /** The number or the word read so far. */
  #token = ''

  /** Checks more bytes; returns false when they can't continue a JSON value. */
  take(bytes: Uint8Array): boolean {
    for (const byte of bytes) if (!this.#step(byte)) return false
    return true
  }

  /** Returns whether the bytes so far are one complete value. */
  end(): boolean {
    return this.#endToken() && this.#place === 'behind value' && this.#open.length === 0
  }

  #step(byte: number): boolean {
    switch (this.#place) {
      case 'string':
        if (byte === QUOTE) this.#place = this.#isName ? 'colon' : 'behind value'
        else if (byte === BACKSLASH) this.#place = 'escape'
        return byte >= 0x20
      case 'escape':
        this.#place = byte === LETTER_U ? 'hex' : 'string'
        this.#hexLeft = 4
        return byte === LETTER_U || ESCAPED.has(byte)
      case 'hex':
        this.#hexLeft -= 1
        if (this.#hexLeft === 0) this.#place = 'string'
        return isHex(byte)
      case 'number':
      case 'word':
        return this.#goOn(byte)
      default:
        return SPACES.has(byte) || this.#between(byte, this.#place)
    }
  }

  /** Goes on with a number or a word; any other byte ends it. */
  #goOn(byte: number): boolean {
    const isMore = this.#place === 'number' ? NUMBER_BYTES.has(byte) : byte >= 0x61 && byte <= 0x7a
    if (!isMore) return this.#endToken() && this.#step(byte)
    this.#token += String.fromCharCode(byte)
    return this.#token.length <= MOST_NUMBER_BYTES
  }

  #endToken(): boolean {
    const [place, token] = [this.#place, this.#token]
    if (place !== 'number' && place !== 'word') return true
    this.#place = 'behind value'
    return place === 'number' ? NUMBER.test(token) : WORDS.get(token.charCodeAt(0)) === token
  }

  #between(byte: number, place: Place): boolean {
    if (place === 'colon') return this.#is(byte === COLON, 'value')
    if (place === 'behind value') return this.#next(byte)
    if (place === 'first item' && byte === CLOSING_BRACKET) return this.#close(false)
    if (place === 'first name' && byte === CLOSING_BRACE) return this.#close(true)
    this.#isName = place === 'name' || place === 'first name'
    if (byte === QUOTE) return this.#is(true, 'string')
    if (this.#isName) return false
    if (byte === OPENING_BRACE || byte === OPENING_BRACKET) return this.#openWith(byte === OPENING_BRACE)
    this.#token = String.fromCharCode(byte)
    return WORDS.has(byte) ? this.#is(true, 'word') : this.#is(NUMBER_BYTES.has(byte), 'number')
  }

  #next(byte: number): boolean {
    const isBrace = this.#open.at(-1)
    if (byte === COMMA) return this.#is(isBrace !== undefined, isBrace === true ? 'name' : 'value')
    return (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) && this.#close(byte === CLOSING_BRACE)
  }

  #openWith(isBrace: boolean): boolean {
    this.#open.push(isBrace)
    return this.#is(this.#open.length <= MOST_DEPTH, isBrace ? 'first name' : 'first item')
  }

  #close(isBrace: boolean): boolean {
    return this.#is(this.#open.pop() === isBrace, 'behind value')
  }

  #is(isRight: boolean, place: Place): boolean {
    this.#place = place
    return isRight
  }
}

function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66)
}
