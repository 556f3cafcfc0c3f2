import type { Availability } from './availability.ts'

export type Choice = {
  readonly member: string
  /** No member was enabled. */
  readonly lastResort: boolean
}

/**
 * One of the enabled members, each as likely as the others. Where all are disabled, the one that was disabled longest ago,
 * so that a pool always answers. Undefined for a pool without members. `random`: 0 ≤ n < 1.
 */
export function choose(
  members: readonly string[],
  availability: Pick<Availability, 'disabledUntil'>,
  random: () => number,
): Choice | undefined {
  const enabled = members.filter((member) => availability.disabledUntil(member) === undefined)
  const member = enabled[Math.floor(random() * enabled.length)]
  if (member !== undefined) return { member, lastResort: false }
  const [longest] = members.toSorted((one, other) => untilOf(one) - untilOf(other))
  return longest === undefined ? undefined : { member: longest, lastResort: true }

  // All are disabled for the same time, so who was first is enabled first.
  function untilOf(name: string): number {
    return availability.disabledUntil(name) ?? 0
  }
}
