import {
  type Condition,
  GATEWAY_LABEL,
  type LlmGateway,
  type LlmGatewayStatus,
  type RouterStatus,
} from '@llm-gateway/crds'
import type { Observation, ObservedPod } from '../../snapshot.ts'
import { judgePods } from '../judge-pods.ts'
import { gatewayUrl } from '../names.ts'
import { conditionOf, type Verdict } from '../set-condition.ts'
import { gatewayIdOf } from './gateway-settings.ts'
import type { GatewayVerdict } from './judge-gateway.ts'

export type GatewayJudgement = {
  readonly gateway: LlmGateway
  readonly verdict: GatewayVerdict
  readonly digest: string
  readonly routers: readonly RouterStatus[]
}

export function gatewayStatus(judgement: GatewayJudgement, observation: Observation): LlmGatewayStatus {
  const { gateway, verdict, digest, routers } = judgement
  const { deployment, valuesRevision, now } = observation
  const { metadata, status } = gateway
  const frame = { previous: status.conditions, generation: metadata.generation, now }
  const accepted = acceptedVerdict(verdict.accepted, observation)
  const before = status.conditions?.find(({ type }) => type === 'Programmed')
  const sameConfig = status.config?.digest === digest && status.config.valuesRevision === valuesRevision
  const wasProgrammed = before?.status === 'True' && before.observedGeneration === metadata.generation && sameConfig
  return {
    gatewayId: gatewayIdOf(gateway),
    url: gatewayUrl(metadata),
    replicas: deployment?.replicas ?? 0,
    selector: `${GATEWAY_LABEL}=${metadata.name}`,
    readyPods: deployment?.readyReplicas ?? 0,
    updatedPods: deployment?.updatedReplicas ?? 0,
    config: { digest, valuesRevision },
    routers: {
      attached: routers.length,
      accepted: countTrue(routers, 'Accepted'),
      programmed: countTrue(routers, 'Programmed'),
    },
    conditions: [
      conditionOf('Accepted', accepted, frame),
      conditionOf('ResolvedRefs', verdict.resolved, frame),
      conditionOf('Programmed', programmedVerdict({ accepted, digest, wasProgrammed }, observation), frame),
      conditionOf('Ready', readyVerdict(accepted, observation), frame),
    ],
  }
}

function acceptedVerdict(accepted: Verdict, { nameConflicts }: Observation): Verdict {
  if (accepted.status !== 'True' || nameConflicts.length === 0) return accepted
  const message = `There is already, and not made by this operator: ${nameConflicts.join(', ')}.`
  return { status: 'False', reason: 'NameConflict', message }
}

type Programmed = { readonly accepted: Verdict; readonly digest: string; readonly wasProgrammed: boolean }

function programmedVerdict({ accepted, digest, wasProgrammed }: Programmed, observation: Observation): Verdict {
  const { pods, applyFailures, valuesRevision } = observation
  if (accepted.status !== 'True' && accepted.reason !== 'Paused') return accepted
  if (applyFailures.length > 0) {
    return { status: 'False', reason: 'ApplyFailed', message: `Could not be written: ${applyFailures.join(', ')}.` }
  }
  const has = ({ report }: ObservedPod) =>
    report.kind === 'reported'
      ? report.digest === digest && isRevision(report.valuesRevision, valuesRevision)
      : undefined
  return judgePods({ pods, has, wasProgrammed })
}

/** Revisions only grow: a pod may be ahead of what was expected of it. */
function isRevision(reported: string, expected: string): boolean {
  return Number(reported) >= Number(expected)
}

function readyVerdict(accepted: Verdict, { deployment, pods }: Observation): Verdict {
  if (accepted.status !== 'True' && accepted.reason !== 'Paused') {
    return { status: 'False', reason: 'NotAccepted', message: 'It is not accepted.' }
  }
  if (deployment?.stuck === true) {
    return { status: 'False', reason: 'RolloutStuck', message: 'The rollout of its pods makes no progress.' }
  }
  if (deployment?.available !== true) {
    return { status: 'False', reason: 'DeploymentUnavailable', message: 'Too few pods are ready.' }
  }
  const reports = pods.filter(({ ready }) => ready).map(({ report }) => report)
  if (reports.some((report) => report.kind === 'reported' && !report.busConnected)) {
    return { status: 'False', reason: 'BusUnavailable', message: 'A pod is not connected to the bus.' }
  }
  return { status: 'True', reason: 'Ready', message: 'Pods and bus serve.' }
}

function countTrue(routers: readonly RouterStatus[], type: Condition['type']): number {
  const holds = (condition: Condition) => condition.type === type && condition.status === 'True'
  return routers.filter(({ conditions }) => conditions?.some(holds) === true).length
}
