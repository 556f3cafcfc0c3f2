import type { MaybeUnreadable } from '@llm-gateway/crds'
import type { Verdict } from './set-condition.ts'

/** What is said of a resource whose spec can't be decoded; undefined: it can be. */
export function unreadableVerdict({ unreadable }: MaybeUnreadable): (Verdict & { reason: 'Unreadable' }) | undefined {
  if (unreadable === undefined) return undefined
  return { status: 'Unknown', reason: 'Unreadable', message: 'This operator can not read it: what is in use stays.' }
}

/** Its spec was never read, so that only the live file tells what is in use of it. */
export function isStandIn({ unreadable }: MaybeUnreadable): boolean {
  return unreadable?.isKept === false
}
