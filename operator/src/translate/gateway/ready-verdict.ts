import type { Observation } from '../../model/snapshot.ts'
import { isServing, unreadyCause } from '../judge-pods.ts'
import type { ConditionFrame, Verdict } from '../set-condition.ts'
import { isServed } from './accept-gateway.ts'
import { unavailableWorkloads } from './unavailable-workloads.ts'

type GatewayObservation = Observation & {
  /** The web interface's problem as part of a sentence, such as `has no ready pod`. */
  readonly webTrouble?: string | undefined
  /** The label selector of the bus's pods; undefined: the bus is external. */
  readonly busPods?: string | undefined
}
type ReadyFacts = GatewayObservation & { readonly wasReady: boolean }
type Rule = (facts: ReadyFacts) => Verdict | undefined

/** The first rule that objects decides. */
const RULES: readonly Rule[] = [isRolledOut, isAvailable, isOnTheBus, isHeard]

/** Judges whether a gateway serves. Pods with an older configuration serve, too. */
export function readyVerdict(
  accepted: Verdict,
  observation: GatewayObservation,
  { previous }: ConditionFrame,
): Verdict {
  if (!isServed(accepted) && accepted.reason !== 'Paused') {
    return { status: 'False', reason: 'NotAccepted', message: 'This LLMGateway is not accepted.' }
  }
  const wasReady = previous?.find(({ type }) => type === 'Ready')?.status === 'True'
  for (const rule of RULES) {
    const verdict = rule({ ...observation, wasReady })
    if (verdict !== undefined) return { ...verdict, message: because(verdict.message, webSentence(observation)) }
  }
  return { status: 'True', reason: 'Ready', message: servesMessage(observation) }
}

/** No other condition tells the web interface's problem, so each message of Ready does. */
function webSentence({ webTrouble }: GatewayObservation): string | undefined {
  return webTrouble === undefined ? undefined : `The web interface ${webTrouble}.`
}

/** The reason of the event about a workload that a Ready gateway lacks. */
export type UnavailableReason = 'SinkUnavailable' | 'WebInterfaceUnavailable'

/** Returns the event's reason where pods and bus serve without a sink or the web interface. */
export function unavailableReason(observation: GatewayObservation): UnavailableReason | undefined {
  if (unavailableWorkloads(observation).sinks.length > 0) return 'SinkUnavailable'
  return observation.webTrouble === undefined ? undefined : 'WebInterfaceUnavailable'
}

/**
 * Calls go on without a sink, without the web interface, and with old pods while a new pod doesn't start. The message
 * tells of these, and the gateway stays Ready.
 */
function servesMessage(observation: GatewayObservation): string {
  const { webTrouble } = observation
  const lack = [
    ...lackOf(unavailableWorkloads(observation).sinks),
    ...(webTrouble === undefined ? [] : [`the web interface ${webTrouble}`]),
  ]
  return because(
    `${['The gateway serves calls', ...lack].join('; ')}.`,
    unreadyCause(observation.podFailure, observation.deployment),
  )
}

function lackOf(sinks: readonly string[]): readonly string[] {
  if (sinks.length === 0) return []
  const [subject, verb] = sinks.length === 1 ? ['sink', 'has'] : ['sinks', 'have']
  return [`${subject} ${sinks.join(', ')} ${verb} no ready pod`]
}

function isRolledOut({ deployment, podFailure }: ReadyFacts): Verdict | undefined {
  if (deployment?.stuck !== true) return undefined
  return {
    status: 'False',
    reason: 'RolloutStuck',
    message: because('The rollout of the gateway pods makes no progress.', unreadyCause(podFailure, deployment)),
  }
}

function isAvailable({ deployment, podFailure }: ReadyFacts): Verdict | undefined {
  if (isServing(deployment)) return undefined
  return {
    status: 'False',
    reason: 'DeploymentUnavailable',
    message: because('Too few gateway pods are ready.', unreadyCause(podFailure, deployment)),
  }
}

function because(what: string, why: string | undefined): string {
  return why === undefined ? what : `${what} ${why}`
}

function isOnTheBus({ pods, busPods }: ReadyFacts): Verdict | undefined {
  const isOff = pods.some(({ ready, report }) => ready && report.kind === 'reported' && !report.busConnected)
  if (!isOff) return undefined
  const message = because(
    'A ready gateway pod is not connected to the bus.',
    busPods === undefined ? undefined : `The bus runs in the pods with the label ${busPods}.`,
  )
  return { status: 'False', reason: 'BusUnavailable', message }
}

/** A gateway that was Ready stays Ready while a pod's answer is missing for less than DOUBTED_AFTER_MS. */
function isHeard({ pods, wasReady }: ReadyFacts): Verdict | undefined {
  const silent = pods.filter(({ ready, report }) => ready && report.kind !== 'reported')
  const isDoubted = silent.some(({ lagMs }) => !wasReady || lagMs >= DOUBTED_AFTER_MS)
  if (!isDoubted) return undefined
  const message = 'A ready gateway pod does not tell whether it is connected to the bus.'
  return { status: 'Unknown', reason: 'PodsUnreachable', message }
}

/** A silent pod of a gateway that was Ready counts after this time. */
const DOUBTED_AFTER_MS = 30_000
