import { ROUTER_REASONS } from '@llm-gateway/crds'

export type AcceptedReason = (typeof ROUTER_REASONS.Accepted)[number]
export type ResolvedReason = (typeof ROUTER_REASONS.ResolvedRefs)[number]

/** A fault of a Router. `field` is below spec; `detail` names references, never values. */
export type Problem = { readonly reason: ResolvedReason; readonly field: string; readonly detail: string }

/** The order in which reasons are reported: those that people can repair come first. */
const ORDER: readonly string[] = ROUTER_REASONS.ResolvedRefs

export function byReason(a: Problem, b: Problem): number {
  return ORDER.indexOf(a.reason) - ORDER.indexOf(b.reason) || compare(a.field, b.field) || compare(a.detail, b.detail)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
