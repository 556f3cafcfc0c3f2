/**
 * Members in the order of their ages. A member is added or deleted by a search in the order; the members behind it move,
 * which takes a microsecond for thousands. No member is looked at.
 */
export class AgeLine<Member> {
  readonly #ages: number[] = []
  readonly #members: Member[] = []

  /** From the oldest on. */
  get members(): readonly Member[] {
    return this.#members
  }

  /** `age` grows with each younger member; no two members have the same. */
  add(age: number, member: Member): void {
    const at = this.#find(age)
    this.#ages.splice(at, 0, age)
    this.#members.splice(at, 0, member)
  }

  /** Returns false where no member has the age. */
  delete(age: number): boolean {
    const at = this.#find(age)
    if (this.#ages[at] !== age) return false
    this.#ages.splice(at, 1)
    this.#members.splice(at, 1)
    return true
  }

  /** Returns the place of the first member with this age or a greater one. */
  #find(age: number): number {
    const last = this.#ages.at(-1)
    if (last === undefined || last < age) return this.#ages.length
    let [from, to] = [0, this.#ages.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((this.#ages[middle] ?? 0) < age) from = middle + 1
      else to = middle
    }
    return from
  }
}
