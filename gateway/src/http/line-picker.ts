import type { AgeLine } from './age-line.ts'

/**
 * Picks some members of a line. Every second pick takes the youngest members. The other picks alternate between the
 * oldest members and a walk through the line, which goes on where it stopped. A crowd that is older or younger than a
 * member therefore delays it by a few picks, and no member waits for ever.
 */
export class LinePicker<Member extends NonNullable<unknown>> {
  #picks = 0
  /** The age from which the walk goes on. */
  #next = 0

  pick(line: AgeLine<Member>, most: number): readonly Member[] {
    this.#picks += 1
    if (this.#picks % 2 === 1) return line.youngest(most)
    if (this.#picks % 4 === 2) return line.from(0, most).members
    const ahead = line.from(this.#next, most)
    const { members, behind } = ahead.members.length > 0 ? ahead : line.from(0, most)
    this.#next = behind
    return members
  }
}
