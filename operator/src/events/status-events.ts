import type { Condition } from '@llm-gateway/crds'
import type { UnavailableReason } from '../translate/gateway/ready-verdict.ts'
import type { EventType } from './events.ts'

export type StatusEvent = { readonly type: EventType; readonly reason: string; readonly note: string }

type WithConditions = { readonly conditions?: readonly Condition[] | undefined }

/** Conditions with an event when they turn True. A condition that stays True through an edit has no event. */
const GOOD = ['Programmed']
/** Conditions with an event when they turn False, since the resource's author has to mend the resource. */
const BAD = ['Accepted', 'ResolvedRefs']
/** The only reason of a False Programmed with an event: others follow from other conditions or pass by themselves. */
const REJECTED = 'RejectedByGateway'

/**
 * Returns the events of a new status. `lack` is the event's reason where a Ready gateway lacks a sink or the web
 * interface.
 */
export function statusEvents(
  before: WithConditions,
  after: WithConditions,
  lack?: UnavailableReason,
): readonly StatusEvent[] {
  return (after.conditions ?? []).flatMap((condition): readonly StatusEvent[] => {
    const { type, status, reason, message } = condition
    const old = before.conditions?.find((earlier) => earlier.type === type)
    const isNew = old?.status !== status || old.reason !== reason
    if (status === 'True' && old?.status !== 'True' && GOOD.includes(type))
      return [{ type: 'Normal', reason, note: message }]
    // A gateway is Ready without its sinks, but people have to repair them.
    if (type === 'Ready' && status === 'True' && lack !== undefined)
      return old?.message === message ? [] : [{ type: 'Warning', reason: lack, note: message }]
    const isBad = status === 'False' && (BAD.includes(type) || reason === REJECTED)
    return isBad && isNew ? [{ type: 'Warning', reason, note: message }] : []
  })
}
