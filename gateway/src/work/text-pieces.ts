import type { Slice } from './work-queue.ts'

const PIECE_CHARACTERS = 64 * 1024

/**
 * A text of tens of megabytes, made in slices. Each piece is encoded at once, so that the whole text never exists as a
 * string beside its bytes.
 */
export class TextPieces {
  readonly #pieces: Buffer[] = []
  readonly #slice: Slice
  #text = ''

  constructor(slice: Slice) {
    this.#slice = slice
  }

  /** Adds text; returns true where the caller should await `pause` before adding more. */
  add(text: string): boolean {
    this.#text += text
    if (this.#text.length >= PIECE_CHARACTERS) this.#encode()
    return this.#slice.isDue
  }

  pause(): Promise<void> {
    return this.#slice.next()
  }

  end(): readonly Buffer[] {
    this.#encode()
    return this.#pieces
  }

  #encode(): void {
    if (this.#text !== '') this.#pieces.push(Buffer.from(this.#text))
    this.#text = ''
  }
}
