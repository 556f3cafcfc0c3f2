import type { Slice } from '../work/work-queue.ts'

/** The number of escapes between two checks of the slice. */
const ESCAPES_BETWEEN = 4_096
/** A string up to this size needs no slices. */
const SHORT_BYTES = 65_536

const BACKSLASH = 0x5c
const LETTER_U = 0x75
/** The letters of short escapes, such as `\n`, → the codes of their characters. */
const SHORT_ESCAPES: ReadonlyMap<number, number> = new Map(
  [...'bfnrt'].map((letter) => [letter.charCodeAt(0), String(JSON.parse(`"\\${letter}"`)).charCodeAt(0)]),
)

/** Decodes a valid JSON string to UTF-8; a lone surrogate becomes U+FFFD. Returns no promise up to 64 KiB. */
export function decodeString(json: Buffer, slice: Slice): Promise<Buffer> | Buffer {
  const text = new StringText(json)
  if (json.length > SHORT_BYTES) return decodeInSlices(text, slice)
  while (text.next());
  return text.decoded()
}

async function decodeInSlices(text: StringText, slice: Slice): Promise<Buffer> {
  while (text.next()) if (slice.isDue) await slice.next()
  return text.decoded()
}

class StringText {
  readonly #source: Buffer
  readonly #target: Buffer
  #read = 1
  #written = 0

  constructor(json: Buffer) {
    this.#source = json.subarray(0, -1)
    // An escape is never shorter than its character.
    this.#target = Buffer.allocUnsafe(json.length)
  }

  /** Decodes some thousand escapes with the text between them; returns false at the end. */
  next(): boolean {
    for (let escapes = 0; escapes < ESCAPES_BETWEEN; escapes += 1) {
      if (this.#source[this.#read] !== BACKSLASH) this.#copyPlain()
      if (this.#read >= this.#source.length) return false
      this.#read += 1
      this.#escape()
    }
    return true
  }

  decoded(): Buffer {
    return this.#target.subarray(0, this.#written)
  }

  #copyPlain(): void {
    const backslash = this.#source.indexOf(BACKSLASH, this.#read)
    const end = backslash === -1 ? this.#source.length : backslash
    this.#written += this.#source.copy(this.#target, this.#written, this.#read, end)
    this.#read = end
  }

  /** Decodes the escape after a backslash. */
  #escape(): void {
    const letter = this.#source[this.#read] ?? 0
    this.#read += 1
    if (letter !== LETTER_U) {
      this.#target[this.#written] = SHORT_ESCAPES.get(letter) ?? letter
      this.#written += 1
      return
    }
    const first = this.#hex()
    const isPair = first >> 10 === 0xd800 >> 10 && this.#source[this.#read] === BACKSLASH
    const second = isPair && this.#source[this.#read + 1] === LETTER_U ? this.#hexAt(this.#read + 2) : 0
    if (second >> 10 === 0xdc00 >> 10) this.#read += 6
    const unit = second >> 10 === 0xdc00 >> 10 ? String.fromCharCode(first, second) : String.fromCharCode(first)
    this.#written += this.#target.write(unit, this.#written)
  }

  #hex(): number {
    this.#read += 4
    return this.#hexAt(this.#read - 4)
  }

  #hexAt(at: number): number {
    return Number.parseInt(this.#source.toString('latin1', at, at + 4), 16)
  }
}
