/** All interim answers before one final answer may have this many bytes together: thousands of them, or 16 long ones. */
const mostBytes = 1024 * 1024

/** `HTTP/1.1 100 `: with these many bytes it is certain what kind of answer begins. */
const startBytes = 13

const LF = 10
const CR = 13
const NUL = 0
const DIGIT_ONE = 0x31

/**
 * Takes 1xx answers out of a connection's incoming bytes, before undici's parser sees them: a 100 that nobody asked for
 * would make it destroy the connection, and each 1xx begins its time limit for the answer's head anew. 101 is left to
 * the parser, for which it is an error.
 */
export class InterimAnswers {
  /** `final`: the bytes are the parser's; `start`: an answer begins here; `head`: in the middle of a 1xx one. */
  #state: 'final' | 'start' | 'head' = 'final'
  /** The beginning of an answer that is too short to be judged. */
  #held: Buffer | undefined
  #passedOver = 0
  #previous = NUL
  #lineIsEmpty = false

  /** From here on an answer is expected: a request leaves. */
  expect(): void {
    this.#state = 'start'
    this.#held = undefined
    this.#passedOver = 0
  }

  /** True where bytes may belong to an interim answer. */
  get expects(): boolean {
    return this.#state !== 'final'
  }

  /** The parser's part of the bytes; undefined where there is none yet, `broken` where it is no HTTP or has no end. */
  take(chunk: Buffer): Buffer | undefined | 'broken' {
    if (this.#state === 'final') return chunk
    const bytes = this.#held === undefined ? chunk : Buffer.concat([this.#held, chunk])
    this.#held = undefined
    let at = 0
    while (at < bytes.length) {
      if (this.#state === 'start') {
        const kind = kindOf(bytes, at)
        if (kind === 'final') {
          this.#state = 'final'
          return at === 0 ? bytes : bytes.subarray(at)
        }
        if (kind === 'unknown') {
          this.#held = Buffer.from(bytes.subarray(at))
          return undefined
        }
        this.#state = 'head'
        this.#previous = NUL
        this.#lineIsEmpty = false
      }
      const end = this.#endOfHead(bytes, at)
      if (end === -1) return 'broken'
      this.#passedOver += end - at
      if (this.#passedOver > mostBytes) return 'broken'
      at = end
    }
    return undefined
  }

  /** Behind the head, or behind the bytes where it goes on; -1 where it is malformed. */
  #endOfHead(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? NUL
      const followsCr = this.#previous === CR
      // llhttp refuses these bytes too: else the two of us would see the next answer begin at different places.
      if ((byte === LF) !== followsCr || byte === NUL) return -1
      this.#previous = byte
      if (byte === LF) {
        if (this.#lineIsEmpty) {
          this.#state = 'start'
          return at + 1
        }
        this.#lineIsEmpty = true
      } else if (byte !== CR) this.#lineIsEmpty = false
    }
    return bytes.length
  }
}

function kindOf(bytes: Buffer, at: number): 'interim' | 'final' | 'unknown' {
  const isWhole = bytes.length - at >= startBytes
  // Nearly every answer.
  if (isWhole && bytes[at + 9] !== DIGIT_ONE) return 'final'
  const start = bytes.toString('latin1', at, at + startBytes)
  if (isWhole) return /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]$/.test(start) ? 'interim' : 'final'
  // Completed from an example, it shows whether it can become one.
  return /^HTTP\/1\.[01] 1\d\d[ \r]$/.test(start + 'HTTP/1.1 100 '.slice(start.length)) ? 'unknown' : 'final'
}
