/** The most bytes of one job on Node's thread pool, so that other jobs (DNS, files) run in between. */
const MAX_PIECE_BYTES = 64 * 1024

/** Pieces of bytes that are read one by one; unused bytes can be given back. */
export class PieceSource {
  readonly #pieces: AsyncGenerator<Buffer, void, undefined>
  #back: Buffer = Buffer.alloc(0)

  constructor(pieces: AsyncGenerator<Buffer, void, undefined>) {
    this.#pieces = pieces
  }

  /** Returns the next piece, undefined at the end. */
  async next(): Promise<Buffer | undefined> {
    if (this.#back.length > 0) {
      const back = this.#back
      this.#back = Buffer.alloc(0)
      return back
    }
    for (;;) {
      const next = await this.#pieces.next()
      if (next.done === true) return undefined
      if (next.value.length > 0) return next.value
    }
  }

  /** Returns the next bytes without taking them; fewer at the end. */
  async peek(bytes: number): Promise<Buffer> {
    let start = await this.next()
    while (start !== undefined && start.length < bytes) {
      const more = await this.next()
      if (more === undefined) break
      start = Buffer.concat([start, more])
    }
    this.#back = start ?? Buffer.alloc(0)
    return this.#back
  }

  unread(rest: Buffer): void {
    this.#back = rest
  }

  /** Ends the source. */
  async close(): Promise<void> {
    this.#back = Buffer.alloc(0)
    await this.#pieces.return()
  }
}

/** Yields the bytes of the chunks in pieces of bounded size, without copying them. */
export async function* piecesOf(chunks: readonly Uint8Array[]): AsyncGenerator<Buffer, void, undefined> {
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += MAX_PIECE_BYTES) {
      const length = Math.min(MAX_PIECE_BYTES, chunk.length - at)
      yield Buffer.from(chunk.buffer, chunk.byteOffset + at, length)
    }
  }
}
