import type { Availability } from './availability.ts'

export type MemberChoice = {
  readonly member: string
  /** True when no member was enabled. */
  readonly lastResort: boolean
}

/**
 * Chooses one of the enabled members at random, with equal chances. When all are disabled, chooses the one that was
 * disabled first, so that a pool always answers. Undefined for a pool without members. `random`: 0 ≤ n < 1.
 */
export function chooseMember(
  members: readonly string[],
  availability: Pick<Availability, 'disabledUntil'>,
  random: () => number,
): MemberChoice | undefined {
  const enabled = members.filter((member) => availability.disabledUntil(member) === undefined)
  const member = enabled[Math.floor(random() * enabled.length)]
  if (member !== undefined) return { member, lastResort: false }
  const [longest] = members.toSorted((one, other) => untilOf(one) - untilOf(other))
  return longest === undefined ? undefined : { member: longest, lastResort: true }

  // All disablings last equally long, so the earliest end belongs to the member that was disabled first.
  function untilOf(name: string): number {
    return availability.disabledUntil(name) ?? 0
  }
}
