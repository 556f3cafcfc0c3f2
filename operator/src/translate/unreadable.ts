import type { MaybeUnreadable } from '@llm-gateway/crds'
import type { Verdict } from './set-condition.ts'

/** Returns the verdict on a resource whose spec can't be decoded; undefined: it can. */
export function unreadableVerdict({ unreadable }: MaybeUnreadable): (Verdict & { reason: 'Unreadable' }) | undefined {
  if (unreadable === undefined) return undefined
  const message = 'This version of the operator can not read the spec, so the configuration in use stays.'
  return { status: 'Unknown', reason: 'Unreadable', message }
}

/** Returns whether a resource's spec was never read, so that only the live file has the entries of the resource. */
export function isNeverRead({ unreadable }: MaybeUnreadable): boolean {
  return unreadable?.isKept === false
}
