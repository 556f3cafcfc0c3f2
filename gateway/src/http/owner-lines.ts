import { AgeLine } from './age-line.ts'
import { LinePicker } from './line-picker.ts'

type OwnerLine<Member extends NonNullable<unknown>> = {
  readonly members: AgeLine<Member>
  readonly picker: LinePicker<Member>
}

/**
 * Members that wait, each in the line of its owner: a router, or a network. Picks are shared by the owners, so that the
 * members of an owner don't wait for thousands of another one; within a line a LinePicker picks.
 */
export class OwnerLines<Member extends NonNullable<unknown>> {
  /** An owner without a member has no line. Owners stand in the order of their last picks. */
  readonly #lines = new Map<string, OwnerLine<Member>>()
  /** The place of each member that waits. */
  readonly #places = new Map<Member, { readonly owner: string; readonly age: number }>()

  get isEmpty(): boolean {
    return this.#places.size === 0
  }

  /** `age` grows with each younger member; no two members have the same. */
  add(owner: string, age: number, member: Member): void {
    const line = this.#lines.get(owner) ?? { members: new AgeLine<Member>(), picker: new LinePicker<Member>() }
    this.#lines.set(owner, line)
    line.members.add(age, member)
    this.#places.set(member, { owner, age })
  }

  /** Returns false where the member doesn't wait. */
  delete(member: Member): boolean {
    const place = this.#places.get(member)
    if (place === undefined) return false
    this.#places.delete(member)
    const members = this.#lines.get(place.owner)?.members
    members?.delete(place.age)
    if (members?.length === 0) this.#lines.delete(place.owner)
    return true
  }

  /** Takes up to `most` members. A short line leaves a part of its owner's share to the longer lines. */
  take(most: number): readonly Member[] {
    const taken: Member[] = []
    // With more owners than picks, those go first whose last pick is the longest ago.
    const lines: (readonly [string, OwnerLine<Member>])[] = []
    for (const line of this.#lines) if (lines.push(line) === most) break
    lines.sort((one, other) => lengthOf(one) - lengthOf(other))
    for (const [at, [owner, line]] of lines.entries()) {
      const share = Math.floor((most - taken.length) / (lines.length - at))
      const picked = line.picker.pick(line.members, share)
      for (const member of picked) this.delete(member)
      taken.push(...picked)
      if (this.#lines.delete(owner)) this.#lines.set(owner, line)
    }
    return taken
  }
}

function lengthOf<Member extends NonNullable<unknown>>([, { members }]: readonly [string, OwnerLine<Member>]): number {
  return members.length
}
