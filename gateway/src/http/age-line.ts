/** Beyond this many empty places, and more than there are members, the empty places are dropped. */
const FEW_EMPTY = 64

/**
 * Members in the order of their ages. A member that leaves leaves an empty place, which it takes again when it comes back,
 * or another member of an age between its neighbours: moving the members behind it took half a millisecond for thousands.
 */
export class AgeLine<Member extends NonNullable<unknown>> {
  /** The ages of all places, in their order. */
  #ages: number[] = []
  /** The member of each place; undefined for an empty one. */
  #members: (Member | undefined)[] = []
  #length = 0

  /** The number of members. */
  get length(): number {
    return this.#length
  }

  /** `age` grows with each younger member; no two members have the same. */
  add(age: number, member: Member): void {
    const at = this.#find(age)
    const empty = this.#emptyPlace(at)
    if (empty === undefined) {
      this.#ages.splice(at, 0, age)
      this.#members.splice(at, 0, member)
    } else {
      this.#ages[empty] = age
      this.#members[empty] = member
    }
    this.#length += 1
  }

  /** Returns false where no member has the age. */
  delete(age: number): boolean {
    const at = this.#find(age)
    if (this.#ages[at] !== age || this.#members[at] === undefined) return false
    this.#members[at] = undefined
    this.#length -= 1
    if (this.#members.length - this.#length > Math.max(FEW_EMPTY, this.#length)) this.#dropEmpty()
    return true
  }

  /** Returns up to `most` members from the youngest on. */
  youngest(most: number): readonly Member[] {
    const found: Member[] = []
    for (let at = this.#members.length - 1; at >= 0 && found.length < most; at -= 1) {
      const member = this.#members[at]
      if (member !== undefined) found.push(member)
    }
    return found
  }

  /** Returns up to `most` members from an age on, the oldest first, and the age behind the last of them. */
  from(age: number, most: number): { readonly members: readonly Member[]; readonly behind: number } {
    const members: Member[] = []
    let at = this.#find(age)
    for (; at < this.#members.length && members.length < most; at += 1) {
      const member = this.#members[at]
      if (member !== undefined) members.push(member)
    }
    return { members, behind: (this.#ages[at - 1] ?? age) + 1 }
  }

  /** Returns an empty place for a member whose age belongs in front of the place `at`. */
  #emptyPlace(at: number): number | undefined {
    if (at < this.#members.length && this.#members[at] === undefined) return at
    return at > 0 && this.#members[at - 1] === undefined ? at - 1 : undefined
  }

  #dropEmpty(): void {
    this.#ages = this.#ages.filter((_, at) => this.#members[at] !== undefined)
    this.#members = this.#members.filter((member) => member !== undefined)
  }

  /** Returns the first place with this age or a greater one. */
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
