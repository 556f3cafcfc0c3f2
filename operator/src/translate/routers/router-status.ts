import type { Condition, RejectedField, RouterStatus } from '@llm-gateway/crds'
import type { ObservedPod } from '../../snapshot.ts'
import { judgePods } from '../judge-pods.ts'
import type { Problem } from '../problem.ts'
import { type ConditionFrame, conditionOf, type Verdict } from '../set-condition.ts'
import type { Acceptance } from './accept-routers.ts'

const MOST_REJECTED_FIELDS = 16

export type RouterJudgement = {
  readonly acceptance: Acceptance
  readonly problems: readonly Problem[]
  /** Hash of its entry in what pods are to have; undefined: it has none. */
  readonly entryHash: string | undefined
  /** Address of the gateway. */
  readonly url: string
  /** The gateway itself isn't accepted, so nothing was evaluated. */
  readonly gatewayRefused: boolean
}

export function routerStatus(judgement: RouterJudgement, pods: readonly ObservedPod[], now: string): RouterStatus {
  const { router } = judgement.acceptance
  const frame = { previous: router.status.conditions, generation: router.metadata.generation, now }
  const accepted = acceptedVerdict(judgement)
  const resolved = resolvedVerdict(judgement, accepted)
  const blocking = [accepted, resolved].find(({ status }) => status !== 'True')
  const programmed = blocking ?? judgePods(programming(judgement, pods, frame))
  const rejectedFields =
    accepted.status === 'True' ? judgement.problems.slice(0, MOST_REJECTED_FIELDS).map(rejected) : []
  const held = accepted.status === 'True'
  return {
    ...(held ? { url: `${judgement.url}${router.spec.path}` } : {}),
    rejectedFields,
    conditions: [
      conditionOf('Accepted', accepted, frame),
      conditionOf('ResolvedRefs', resolved, frame),
      conditionOf('Programmed', { ...programmed, status: programmedStatus(programmed, blocking) }, frame),
    ],
  }
}

/** What isn't there is not programmed; what nobody could look at may be. */
function programmedStatus({ status }: Verdict, blocking: Verdict | undefined): Condition['status'] {
  return blocking?.status === 'False' ? 'False' : status
}

function acceptedVerdict({ acceptance: { reason, message }, gatewayRefused }: RouterJudgement): Verdict {
  if (gatewayRefused) {
    return { status: 'Unknown', reason: 'GatewayNotAccepted', message: 'The gateway itself is not accepted.' }
  }
  return { status: reason === 'Accepted' ? 'True' : 'False', reason, message }
}

function resolvedVerdict({ problems }: RouterJudgement, accepted: Verdict): Verdict {
  if (accepted.status !== 'True') {
    return {
      status: 'Unknown',
      reason: 'NotEvaluated',
      message: 'References of a Router that is not accepted are not read.',
    }
  }
  const first = problems[0]
  if (first === undefined) return { status: 'True', reason: 'ResolvedRefs', message: 'Every reference has a value.' }
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  const status = problems.every(({ reason }) => reason === 'ReadFailed') ? 'Unknown' : 'False'
  return { status, reason: first.reason, message: `${first.field}: ${first.detail}${more}.` }
}

function programming({ acceptance, entryHash }: RouterJudgement, pods: readonly ObservedPod[], frame: ConditionFrame) {
  const before = frame.previous?.find(({ type }) => type === 'Programmed')
  const { path } = acceptance.router.spec
  return {
    pods,
    has: ({ report }: ObservedPod) =>
      report.kind === 'reported' && report.entries !== undefined ? report.entries.get(path) === entryHash : undefined,
    wasProgrammed: before?.status === 'True' && before.observedGeneration === frame.generation,
  }
}

function rejected({ field, reason, detail }: Problem): RejectedField {
  return { field, reason: `${reason === 'VariableNotFound' || reason === 'EmptyValue' ? 'required: ' : ''}${detail}` }
}
