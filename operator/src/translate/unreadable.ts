import type { MaybeUnreadable } from '@llm-gateway/crds'
import type { Verdict } from './set-condition.ts'

/** Returns the verdict on a resource whose spec can't be decoded; undefined: it can. */
export function unreadableVerdict({ unreadable }: MaybeUnreadable): (Verdict & { reason: 'Unreadable' }) | undefined {
  if (unreadable === undefined) return undefined
  return { status: 'Unknown', reason: 'Unreadable', message: 'This operator can not read it: what is in use stays.' }
}

/** Returns whether a resource's spec was never read, so that only the live file tells its part. */
export function isStandIn({ unreadable }: MaybeUnreadable): boolean {
  return unreadable?.isKept === false
}
