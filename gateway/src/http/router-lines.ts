import { AgeLine } from './age-line.ts'
import { LinePicker } from './line-picker.ts'

type RouterLine<Member> = { readonly members: AgeLine<Member>; readonly picker: LinePicker<Member> }

/**
 * Members that wait, each in the line of a router. Picks are shared by the routers, so that the members of a router don't
 * wait for thousands of another one; within a line a LinePicker picks.
 */
export class RouterLines<Member> {
  /** A router without a member has no line. Routers stand in the order of their last picks. */
  readonly #lines = new Map<string, RouterLine<Member>>()
  /** The place of each member that waits. */
  readonly #places = new Map<Member, { readonly router: string; readonly age: number }>()

  get isEmpty(): boolean {
    return this.#places.size === 0
  }

  /** `age` grows with each younger member; no two members have the same. */
  add(router: string, age: number, member: Member): void {
    const line = this.#lines.get(router) ?? { members: new AgeLine<Member>(), picker: new LinePicker<Member>() }
    this.#lines.set(router, line)
    line.members.add(age, member)
    this.#places.set(member, { router, age })
  }

  /** Returns false where the member doesn't wait. */
  delete(member: Member): boolean {
    const place = this.#places.get(member)
    if (place === undefined) return false
    this.#places.delete(member)
    const members = this.#lines.get(place.router)?.members
    members?.delete(place.age)
    if (members?.members.length === 0) this.#lines.delete(place.router)
    return true
  }

  /** Takes up to `most` members. A short line leaves a part of its router's share to the longer lines. */
  take(most: number): readonly Member[] {
    const taken: Member[] = []
    // With more routers than picks, those go first whose last pick is the longest ago.
    const lines = [...this.#lines].slice(0, most).sort((one, other) => lengthOf(one) - lengthOf(other))
    for (const [at, [router, line]] of lines.entries()) {
      const share = Math.floor((most - taken.length) / (lines.length - at))
      const picked = line.picker.pick(line.members.members, share)
      for (const member of picked) this.delete(member)
      taken.push(...picked)
      if (this.#lines.delete(router)) this.#lines.set(router, line)
    }
    return taken
  }
}

function lengthOf<Member>([, { members }]: readonly [string, RouterLine<Member>]): number {
  return members.members.length
}
