/** The most bytes of all interim answers before the final answer: thousands of small answers, or 16 long answers. */
const maxBytes = 1024 * 1024

/** The length of `HTTP/1.1 100 `, which decides the kind of answer. */
const startBytes = 13

const LF = 10
const CR = 13
const NUL = 0
const DIGIT_ONE = 0x31

/**
 * Removes 1xx answers from a connection's incoming bytes before undici's parser: undici would destroy the connection
 * at an unrequested 100, and restarts the time limit of the answer's head at each 1xx. A 101 is left to the parser,
 * which refuses it.
 */
export class InterimAnswers {
  /** `final`: bytes belong to the parser; `start`: an answer begins; `head`: within a 1xx answer. */
  #state: 'final' | 'start' | 'head' = 'final'
  /** The beginning of an answer, still too short to judge. */
  #held: Buffer | undefined
  #passedOver = 0
  #previous = NUL
  #lineIsEmpty = false

  /** Expects an answer, because a request leaves. */
  expect(): void {
    this.#state = 'start'
    this.#held = undefined
    this.#passedOver = 0
  }

  /** True where bytes may belong to an interim answer. */
  get expects(): boolean {
    return this.#state !== 'final'
  }

  /**
   * Returns the parser's part of the bytes, undefined where there is none yet, `broken` for malformed or endless heads.
   */
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
      if (this.#passedOver > maxBytes) return 'broken'
      at = end
    }
    return undefined
  }

  /** Returns the position behind the head, the bytes' length where the head continues, -1 for a malformed head. */
  #endOfHead(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? NUL
      const followsCr = this.#previous === CR
      // llhttp refuses these bytes too; otherwise the next answer would begin at different positions for the two
      // parsers.
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
  // Nearly every answer is final and needs no further check.
  if (isWhole && bytes[at + 9] !== DIGIT_ONE) return 'final'
  const start = bytes.toString('latin1', at, at + startBytes)
  if (isWhole) return /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]$/.test(start) ? 'interim' : 'final'
  // An incomplete start is completed with an example: without a match it can't become an interim answer.
  return /^HTTP\/1\.[01] 1\d\d[ \r]$/.test(start + 'HTTP/1.1 100 '.slice(start.length)) ? 'unknown' : 'final'
}
