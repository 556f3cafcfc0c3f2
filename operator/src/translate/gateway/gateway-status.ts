import {
  type Condition,
  GATEWAY_LABEL,
  type LlmGateway,
  type LlmGatewayStatus,
  type RouterStatus,
} from '@llm-gateway/crds'
import { BUS_POD_LABEL } from '../../model/kube-object.ts'
import { gatewayUrl } from '../../model/names.ts'
import type { Observation, ObservedPod } from '../../model/snapshot.ts'
import { failureText } from '../../model/snapshot.ts'
import { judgePods } from '../judge-pods.ts'
import { observedGeneration, readyFrame } from '../observed-generation.ts'
import { type ConditionFrame, conditionOf, frameOf, type Verdict } from '../set-condition.ts'
import type { GatewayClaims } from './accept-gateway.ts'
import { readyVerdict } from './ready-verdict.ts'
import { recordsVerdict } from './records-verdict.ts'

export type GatewayJudgement = {
  readonly gateway: LlmGateway
  /** The operator that looks after the gateway. */
  readonly operator: LlmGatewayStatus['operator']
  /** The verdict of Accepted, name conflicts of the gateway's objects included. */
  readonly accepted: Verdict
  readonly claims: GatewayClaims
  readonly resolved: Verdict
  readonly digest: string
  /** False where settings and call points alone are too large for a ConfigMap. */
  readonly fits: boolean
  readonly routers: readonly RouterStatus[]
  /** The number of Routers that a full configuration leaves out. */
  readonly crowdedOut: number
  /** The web interface's problem as part of a sentence; undefined: there is none. */
  readonly webTrouble: string | undefined
  /** True when the Deployment couldn't be made because a reference is missing. */
  readonly withheld: boolean
}

export function gatewayStatus(judgement: GatewayJudgement, observation: Observation): LlmGatewayStatus {
  const { gateway, accepted, resolved, digest, fits, routers, webTrouble } = judgement
  const { deployment, valuesRevision, now } = observation
  const { metadata } = gateway
  const frame = { ...frameOf(gateway, now), rewords: true }
  const busPods = gateway.spec.bus.type === 'Managed' ? `${BUS_POD_LABEL}=${metadata.name}` : undefined
  const ready = readyVerdict(accepted, { ...observation, webTrouble, busPods }, frame)
  const programmed = programmedVerdict(judgement, observation, frame)
  const carriedOut = observedGeneration({
    generation: frame.generation,
    ready,
    programmed,
    whole: accepted.status === 'True' && resolved.status === 'True' && observation.rolledOut,
  })
  return {
    ...(judgement.operator === undefined ? {} : { operator: judgement.operator }),
    ...carriedOut,
    ...judgement.claims,
    url: gatewayUrl(gateway),
    replicas: deployment?.replicas ?? 0,
    selector: `${GATEWAY_LABEL}=${metadata.name}`,
    readyPods: deployment?.readyReplicas ?? 0,
    updatedPods: deployment?.updatedReplicas ?? 0,
    // The configuration in use stays where the new one doesn't fit.
    ...(fits ? { config: { digest, valuesRevision } } : configOf(gateway)),
    routers: {
      attached: routers.length,
      accepted: countTrue(routers, 'Accepted'),
      programmed: countTrue(routers, 'Programmed'),
    },
    conditions: [
      conditionOf('Accepted', accepted, frame),
      conditionOf('ResolvedRefs', resolved, frame),
      conditionOf('Ready', ready, readyFrame(frame, ready, carriedOut)),
      conditionOf('Programmed', programmed, frame),
      // The last condition, since calls don't depend on it.
      conditionOf('RecordsDurable', recordsVerdict(gateway, observation), frame),
    ],
  }
}

function configOf({ status: { config } }: LlmGateway): Pick<LlmGatewayStatus, 'config'> {
  return config === undefined ? {} : { config }
}

/** Returns the first obstacle. A pause is no obstacle: pods keep their configuration. */
function programmedVerdict(judgement: GatewayJudgement, observation: Observation, frame: ConditionFrame): Verdict {
  const { accepted, resolved, fits, crowdedOut, withheld } = judgement
  const { applyFailures } = observation
  if (accepted.status !== 'True' && accepted.reason !== 'Paused') return accepted
  if (applyFailures.length > 0) {
    const shown = applyFailures.slice(0, 16).map(failureText).join(', ')
    return { status: 'False', reason: 'ApplyFailed', message: `The API server refused changes of ${shown}.` }
  }
  if (!fits) {
    const message = 'The call points of the Processors alone have no room in the ConfigMap, so the configuration stays.'
    return { status: 'False', reason: 'CapacityExceeded', message }
  }
  if (crowdedOut > 0) {
    const message = `${crowdedOut} Routers have no room in the ConfigMap and the Secret of the gateway.`
    return { status: 'False', reason: 'CapacityExceeded', message }
  }
  const pods = podsVerdict(judgement, observation, frame)
  return pods.reason === 'NoReadyPods' && withheld ? resolved : pods
}

function podsVerdict(
  { gateway, accepted, digest }: GatewayJudgement,
  observation: Observation,
  frame: ConditionFrame,
): Verdict {
  const { pods, valuesRevision } = observation
  const { config } = gateway.status
  const before = frame.previous?.find(({ type }) => type === 'Programmed')
  const sameConfig = config?.digest === digest && config.valuesRevision === valuesRevision
  const has = ({ report }: ObservedPod) =>
    report.kind === 'reported'
      ? report.digest === digest && isRevision(report.valuesRevision, valuesRevision)
      : undefined
  const rejects = ({ report }: ObservedPod) =>
    report.kind === 'reported' && report.digest === digest && (report.rejectedRouters ?? []).length > 0
  const wasProgrammed = before?.status === 'True' && before.observedGeneration === frame.generation && sameConfig
  return judgePods({
    pods,
    part: 'the configuration',
    has,
    rejects,
    wasProgrammed,
    paused: accepted.reason === 'Paused',
  })
}

/** Revisions only grow, so a pod may be ahead of the expected revision. */
function isRevision(reported: string, expected: string): boolean {
  return Number(reported) >= Number(expected)
}

function countTrue(routers: readonly RouterStatus[], type: Condition['type']): number {
  const holds = (condition: Condition) => condition.type === type && condition.status === 'True'
  return routers.filter(({ conditions }) => conditions?.some(holds) === true).length
}
