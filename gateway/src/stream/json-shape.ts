/** The deepest nesting: JSON.parse takes any depth, but JSON.stringify overflows the stack at some thousands. */
const DEEPEST = 500
/** A value takes JSON.parse and JSON.stringify as long as this many bytes: up to 500 ns for a new key. */
const VALUE_BYTES = 100
/** An escaped half of a surrogate pair takes as long as this many bytes: JSON.stringify looks for the other half. */
const SURROGATE_BYTES = 9
/** The values and bytes that take some 25 ms: 50,000 values in a short text, 10,000 in one of 4 MiB. */
const MAX_BYTES = 5 * 1024 * 1024

/**
 * Checks depth and number of values of a JSON text from its bytes as they arrive, so that a text that would block the
 * process is never parsed.
 */
export class JsonShape {
  #position = 0
  #depth = 0
  #values = 0
  #surrogates = 0
  #isInString = false
  #isEscaped = false
  #isBeyondBounds = false

  /** True once the text is nested deeper than 500 levels, or has too many values or surrogates for its size. */
  get isBeyondBounds(): boolean {
    return this.#isBeyondBounds
  }

  /** Checks the text that begins at `start` and ends at `end`, from the end of the last check. */
  scan(bytes: Uint8Array, start: number, end: number): void {
    let at = start + this.#position
    this.#position = end - start
    if (this.#isEscaped && at < end) {
      this.#isEscaped = false
      at += 1
    }
    while (at < end && !this.#isBeyondBounds)
      at = this.#isInString ? this.#string(bytes, at, end) : this.#token(bytes, at, end)
    // A string may be as long as the text, and nothing checks the price within a string.
    if (this.#price > MAX_BYTES) this.#isBeyondBounds = true
  }

  get #price(): number {
    return this.#values * VALUE_BYTES + this.#surrogates * SURROGATE_BYTES + this.#position
  }

  #string(bytes: Uint8Array, start: number, end: number): number {
    for (let at = start; at < end; at++) {
      const byte = bytes[at]
      if (byte === 0x22) {
        this.#isInString = false
        return at + 1
      }
      if (byte === 0x5c) {
        if (mayBeSurrogate(bytes, at + 1, end)) this.#surrogates += 1
        at += 1
        this.#isEscaped = at === end
      }
    }
    return end
  }

  /** Checks the bytes between two strings. */
  #token(bytes: Uint8Array, start: number, end: number): number {
    for (let at = start; at < end; at++) {
      const byte = bytes[at]
      if (byte === 0x22) {
        this.#isInString = true
        return at + 1
      }
      if (byte === 0x2c) this.#values += 1
      else if (byte === 0x7b || byte === 0x5b) {
        this.#values += 1
        this.#depth += 1
      } else if (byte === 0x7d || byte === 0x5d) this.#depth -= 1
      else continue
      if (this.#depth > DEEPEST || this.#price > MAX_BYTES) {
        this.#isBeyondBounds = true
        return end
      }
    }
    return end
  }
}

/**
 * Returns true for the escape of a half of a surrogate pair, and for an escape that the end of the bytes cuts, since a
 * piece may be as short as an escape.
 */
function mayBeSurrogate(bytes: Uint8Array, at: number, end: number): boolean {
  if (at + 2 >= end) return true
  return bytes[at] === 0x75 && ((bytes[at + 1] ?? 0) | 0x20) === 0x64 && (bytes[at + 2] ?? 0) >= 0x38
}
