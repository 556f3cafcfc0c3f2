import type { Observation } from '../../snapshot.ts'
import { isServing } from '../is-serving.ts'
import type { ConditionFrame, Verdict } from '../set-condition.ts'

type Facts = Observation & { readonly wasReady: boolean }
type Rule = (facts: Facts) => Verdict | undefined

/** The first that objects decides. */
const RULES: readonly Rule[] = [isRolledOut, isAvailable, isOnTheBus, isHeard]

/** Whether a gateway serves. What its pods have of the configuration plays no part: they serve what they have. */
export function readyVerdict(accepted: Verdict, observation: Observation, { previous }: ConditionFrame): Verdict {
  if (accepted.status !== 'True' && accepted.reason !== 'Paused') {
    return { status: 'False', reason: 'NotAccepted', message: 'It is not accepted.' }
  }
  const wasReady = previous?.find(({ type }) => type === 'Ready')?.status === 'True'
  for (const rule of RULES) {
    const verdict = rule({ ...observation, wasReady })
    if (verdict !== undefined) return verdict
  }
  return { status: 'True', reason: 'Ready', message: 'Pods and bus serve.' }
}

function isRolledOut({ deployment }: Facts): Verdict | undefined {
  if (deployment?.stuck !== true) return undefined
  return { status: 'False', reason: 'RolloutStuck', message: 'The rollout of its pods makes no progress.' }
}

function isAvailable({ deployment }: Facts): Verdict | undefined {
  if (isServing(deployment)) return undefined
  return { status: 'False', reason: 'DeploymentUnavailable', message: 'Too few pods are ready.' }
}

function isOnTheBus({ pods }: Facts): Verdict | undefined {
  const isOff = pods.some(({ ready, report }) => ready && report.kind === 'reported' && !report.busConnected)
  return isOff
    ? { status: 'False', reason: 'BusUnavailable', message: 'A pod is not connected to the bus.' }
    : undefined
}

/** Who served a moment ago isn't doubted for one answer that is missing. */
function isHeard({ pods, wasReady }: Facts): Verdict | undefined {
  const silent = pods.filter(({ ready, report }) => ready && report.kind !== 'reported')
  const isDoubted = silent.some(({ lagMs }) => !wasReady || lagMs >= DOUBTED_AFTER_MS)
  if (!isDoubted) return undefined
  return { status: 'Unknown', reason: 'PodsUnreachable', message: 'A ready pod does not say whether it has the bus.' }
}

/** As long as a pod may lag before it counts. */
const DOUBTED_AFTER_MS = 30_000
