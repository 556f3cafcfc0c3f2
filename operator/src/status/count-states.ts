import type { Condition, MaybeUnreadable } from '@llm-gateway/crds'

type JudgedStatus = MaybeUnreadable & { readonly status: { readonly conditions?: readonly Condition[] | undefined } }

/** The states of a resource that a graph shows. */
export const RESOURCE_STATES = ['programmed', 'not_accepted', 'unresolved', 'pending', 'unreadable'] as const
export type ResourceState = (typeof RESOURCE_STATES)[number]

/** Counts resources by state; a state without resources has the count 0. */
export function countStates(objects: Iterable<JudgedStatus>): ReadonlyMap<ResourceState, number> {
  const counts = new Map<ResourceState, number>(RESOURCE_STATES.map((state) => [state, 0]))
  for (const object of objects) {
    const state = stateOf(object)
    counts.set(state, (counts.get(state) ?? 0) + 1)
  }
  return counts
}

function stateOf({ status, unreadable }: JudgedStatus): ResourceState {
  if (unreadable !== undefined) return 'unreadable'
  const is = (type: string, value: Condition['status']) =>
    status.conditions?.some((condition) => condition.type === type && condition.status === value) === true
  if (is('Accepted', 'False')) return 'not_accepted'
  if (is('ResolvedRefs', 'False')) return 'unresolved'
  return is('Programmed', 'True') ? 'programmed' : 'pending'
}
