import type { Condition } from '@llm-gateway/crds'
import type { LackReason } from '../translate/gateway/ready-verdict.ts'
import type { EventType } from './events.ts'

export type News = { readonly type: EventType; readonly reason: string; readonly note: string }

type WithConditions = { readonly conditions?: readonly Condition[] | undefined }

/** What turned True is told once; `Programmed` of an object that stays so through an edit is no news. */
const GOOD = ['Programmed']
/** What its author has to mend. */
const BAD = ['Accepted', 'ResolvedRefs']
/** Of Programmed only this is a cause of its own: the rest is told by the others, or passes. */
const REJECTED = 'RejectedByGateway'

/** What people are told of a status that replaces another; `lack`: the workload that a gateway which is Ready lacks. */
export function statusNews(before: WithConditions, after: WithConditions, lack?: LackReason): readonly News[] {
  return (after.conditions ?? []).flatMap((condition): readonly News[] => {
    const { type, status, reason, message } = condition
    const old = before.conditions?.find((one) => one.type === type)
    const isNew = old?.status !== status || old.reason !== reason
    if (status === 'True' && old?.status !== 'True' && GOOD.includes(type))
      return [{ type: 'Normal', reason, note: message }]
    // A gateway is Ready without its sinks: somebody has to mend them all the same.
    if (type === 'Ready' && status === 'True' && lack !== undefined)
      return old?.message === message ? [] : [{ type: 'Warning', reason: lack, note: message }]
    const isBad = status === 'False' && (BAD.includes(type) || reason === REJECTED)
    return isBad && isNew ? [{ type: 'Warning', reason, note: message }] : []
  })
}
