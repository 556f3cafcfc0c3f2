/**
 * Picks some members of a line. Every second pick takes the last members. The other picks alternate between the first
 * members and a walk through the line, which goes on where it stopped. A crowd that stands before or behind a member
 * therefore delays it by a few picks, and no member waits for ever.
 */
export class LinePicker<Member> {
  #picks = 0
  #next = 0

  pick(line: readonly Member[], most: number): readonly Member[] {
    this.#picks += 1
    if (this.#picks % 2 === 1) return line.slice(-most).reverse()
    if (this.#picks % 4 === 2) return line.slice(0, most)
    const start = this.#next < line.length ? this.#next : 0
    this.#next = start + most
    return line.slice(start, this.#next)
  }
}
