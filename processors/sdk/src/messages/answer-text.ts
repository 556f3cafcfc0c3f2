/**
 * An answer whose JSON text exists already, in parts. The parts are joined when the reply leaves, so that answers that
 * wait for their turn share the bytes of a part.
 */
export class AnswerText {
  readonly #parts: readonly Uint8Array[]
  readonly bytes: number

  /** `parts`: joined, the JSON text of an object of fields. They must not change. */
  constructor(parts: readonly Uint8Array[]) {
    this.#parts = parts
    this.bytes = parts.reduce((sum, { length }) => sum + length, 0)
  }

  join(): Uint8Array {
    return Buffer.concat(this.#parts, this.bytes)
  }
}
