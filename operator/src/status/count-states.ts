import type { Condition, MaybeUnreadable } from '@llm-gateway/crds'

type Judged = MaybeUnreadable & { readonly status: { readonly conditions?: readonly Condition[] | undefined } }

/** What a resource amounts to, for a graph: one word. */
export const STATES = ['programmed', 'not_accepted', 'unresolved', 'pending', 'unreadable'] as const
export type State = (typeof STATES)[number]

/** Of every state how many there are, also where there is none. */
export function countStates(objects: Iterable<Judged>): ReadonlyMap<State, number> {
  const counts = new Map<State, number>(STATES.map((state) => [state, 0]))
  for (const object of objects) {
    const state = stateOf(object)
    counts.set(state, (counts.get(state) ?? 0) + 1)
  }
  return counts
}

function stateOf({ status, unreadable }: Judged): State {
  if (unreadable !== undefined) return 'unreadable'
  const is = (type: string, value: Condition['status']) =>
    status.conditions?.some((condition) => condition.type === type && condition.status === value) === true
  if (is('Accepted', 'False')) return 'not_accepted'
  if (is('ResolvedRefs', 'False')) return 'unresolved'
  return is('Programmed', 'True') ? 'programmed' : 'pending'
}
