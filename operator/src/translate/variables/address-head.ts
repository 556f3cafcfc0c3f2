/** The longest text before which it is open whether an address begins well. */
const LONGEST_BEGINNING = 'https://x'.length
const BEGINNING = /^https?:\/\/[^/?]/i
const END = /[/?]/

/**
 * Tells, piece by piece, whether scheme, host and port of an address are complete: text behind them doesn't change where
 * a call goes. Each piece is read once, however many follow.
 */
export class AddressHead {
  #beginning = ''
  #hasBegun = false
  #isComplete = false

  get isComplete(): boolean {
    return this.#isComplete
  }

  add(piece: string): void {
    if (this.#isComplete) return
    if (this.#hasBegun) {
      this.#isComplete = END.test(piece)
      return
    }
    // A longer text that isn't the beginning of an address doesn't become one.
    if (this.#beginning.length >= LONGEST_BEGINNING) return
    this.#beginning += piece
    const begun = BEGINNING.exec(this.#beginning)
    if (begun === null) return
    this.#hasBegun = true
    this.#isComplete = END.test(this.#beginning.slice(begun[0].length))
  }
}
