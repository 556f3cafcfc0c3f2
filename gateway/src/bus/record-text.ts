/** A piece of JSON text: a string, or bytes of UTF-8 that nobody changes any more. */
export type TextPart = string | Uint8Array

/** Bytes kept free in front of a record's first chunk, for `HPUB … Nats-Msg-Id: …` in the same buffer. */
export const HEAD_ROOM = 192
/** Ends the last chunk: a message's last bytes. */
export const LINE_END = '\r\n'

/** A record as it is written: buffers that are sent one after another, none of them copied again. */
export class RecordText {
  /** Bytes of the record; the first chunk's head room and the line end don't count. */
  readonly length: number
  readonly #chunks: readonly Buffer[]

  /** `chunks`: the first begins with HEAD_ROOM free bytes, the last ends with LINE_END. */
  constructor(chunks: readonly Buffer[], length: number) {
    this.#chunks = chunks
    this.length = length
  }

  /** The whole message; `head` is ASCII. What it returned before holds the new head from now on. */
  message(head: string): readonly Buffer[] {
    const [first = Buffer.alloc(HEAD_ROOM), ...others] = this.#chunks
    if (head.length > HEAD_ROOM) return [Buffer.from(head, 'latin1'), first.subarray(HEAD_ROOM), ...others]
    const start = HEAD_ROOM - head.length
    first.write(head, start, 'latin1')
    return [first.subarray(start), ...others]
  }

  /** The record in one buffer of its own, for what has to read it. */
  toBytes(): Buffer {
    return Buffer.concat(this.#chunks).subarray(HEAD_ROOM, HEAD_ROOM + this.length)
  }
}
