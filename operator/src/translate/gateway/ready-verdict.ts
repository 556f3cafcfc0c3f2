import type { Observation } from '../../snapshot.ts'
import { isServing } from '../is-serving.ts'
import type { ConditionFrame, Verdict } from '../set-condition.ts'
import { whyNoPods } from '../why-no-pods.ts'
import { isServed } from './accept-gateway.ts'
import { missedSinks } from './missed-sinks.ts'

type Facts = Observation & { readonly wasReady: boolean }
type Rule = (facts: Facts) => Verdict | undefined

/** The first that objects decides. */
const RULES: readonly Rule[] = [isRolledOut, isAvailable, isOnTheBus, isHeard]

/** Whether a gateway serves. What its pods have of the configuration plays no part: they serve what they have. */
export function readyVerdict(accepted: Verdict, observation: Observation, { previous }: ConditionFrame): Verdict {
  if (!isServed(accepted) && accepted.reason !== 'Paused') {
    return { status: 'False', reason: 'NotAccepted', message: 'It is not accepted.' }
  }
  const wasReady = previous?.find(({ type }) => type === 'Ready')?.status === 'True'
  for (const rule of RULES) {
    const verdict = rule({ ...observation, wasReady })
    if (verdict !== undefined) return verdict
  }
  return { status: 'True', reason: 'Ready', message: servesMessage(observation) }
}

const SERVES = 'Pods and bus serve'

/** Whether a message of Ready names sinks that don't work. */
export function lacksSinks(message: string): boolean {
  return message.startsWith(`${SERVES};`)
}

/**
 * Calls go on without a sink, and with the old pods while a new one doesn't start: that is to be seen, and no reason not to
 * be Ready.
 */
function servesMessage(observation: Observation): string {
  const { kinds } = missedSinks(observation)
  return because(`${SERVES}${lackOf(kinds)}.`, whyNoPods(observation.podFailure, observation.deployment))
}

function lackOf(sinks: readonly string[]): string {
  if (sinks.length === 0) return ''
  const [subject, verb] = sinks.length === 1 ? ['sink', 'has'] : ['sinks', 'have']
  return `; ${subject} ${sinks.join(', ')} ${verb} no pod that is ready`
}

function isRolledOut({ deployment, podFailure }: Facts): Verdict | undefined {
  if (deployment?.stuck !== true) return undefined
  return {
    status: 'False',
    reason: 'RolloutStuck',
    message: because('The rollout of its pods makes no progress.', whyNoPods(podFailure, deployment)),
  }
}

function isAvailable({ deployment, podFailure }: Facts): Verdict | undefined {
  if (isServing(deployment)) return undefined
  return {
    status: 'False',
    reason: 'DeploymentUnavailable',
    message: because('Too few pods are ready.', whyNoPods(podFailure, deployment)),
  }
}

function because(what: string, why: string | undefined): string {
  return why === undefined ? what : `${what} ${why}`
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
