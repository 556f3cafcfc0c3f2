import type { GatewayState, Overview, ProcessorState } from '@llm-gateway/gui-api'
import { GATEWAY_PORT } from '@llm-gateway/operator/judge'
import { problemsOf } from '../live/overview.ts'
import { type PodStatus, podRows } from './pod-statuses.ts'
import type { ClusterFacts } from './thread/questions.ts'

export type GatewayIdentity = {
  readonly namespace: string
  readonly gateway: string
  readonly mode: 'ReadOnly' | 'Edit'
  readonly version: string
}

export type ClusterObservation = {
  readonly facts: ClusterFacts
  readonly statuses: readonly PodStatus[]
  /** The digest of the effective file. */
  readonly digest: string | null
  readonly bus: Overview['bus']
}

const MOST_PROBLEMS = 50

/** Collects the running parts of an LLMGateway and their problems. */
export function clusterOverview(
  { version, ...shown }: GatewayIdentity,
  { facts, statuses, digest, bus }: ClusterObservation,
): Overview {
  const found = {
    gateway: gatewayState(facts, statuses),
    bus,
    services: [...facts.services],
    sinks: facts.services
      .filter(({ kind }) => kind === 'sink')
      .map(({ name }) => ({
        name,
        mode: null,
        target: null,
        behind_records: null,
        delivered: null,
        refused: null,
        overtaken: null,
      })),
  }
  const problems = [...problemsOf(found), ...problemsOfResources(facts)].slice(0, MOST_PROBLEMS)
  return {
    edition: 'kubernetes',
    kubernetes: { ...shown, pods: podRows(facts.pods, statuses, digest) },
    version,
    gateway_address: { scheme: facts.gateway?.scheme ?? 'http', port: GATEWAY_PORT },
    ...found,
    processors: [...facts.processors] satisfies readonly ProcessorState[],
    problems,
  }
}

/** Merges the states of all pods that answer: counts are summed, and of other values the worst is taken. */
function gatewayState({ pods, gateway }: ClusterFacts, statuses: readonly PodStatus[]): GatewayState {
  const states = statuses.flatMap(({ state }) => (state.reachable ? [state] : []))
  const [first] = states
  if (first === undefined) {
    if (gateway === undefined)
      return unreachable('The LLMGateway does not exist, or the web interface may not read it.')
    if (!pods.some(({ ready }) => ready))
      return unreachable('No pod of the gateway is ready. The conditions of the LLMGateway have the reason.')
    return unreachable('The gateway’s pods are ready but do not answer at their admin port. Check the NetworkPolicies.')
  }
  const failing = states.find(({ reload }) => reload.result === 'failed')
  const records = states.flatMap((state) => (state.records === null ? [] : [state.records]))
  const sum = (key: 'acknowledged' | 'queued_bytes' | 'spooled_bytes') =>
    records.reduce((all, one) => all + one[key], 0)
  const lost = new Map<string, number>()
  for (const one of records)
    for (const [reason, count] of Object.entries(one.lost)) lost.set(reason, (lost.get(reason) ?? 0) + count)
  const [record] = records
  return {
    ...first,
    reload: (failing ?? first).reload,
    bus: states.some((state) => state.bus === 'disconnected') ? 'disconnected' : 'connected',
    records:
      record === undefined
        ? null
        : {
            stream: record.stream,
            acknowledged: sum('acknowledged'),
            queued_bytes: sum('queued_bytes'),
            spooled_bytes: sum('spooled_bytes'),
            lost: Object.fromEntries(lost),
          },
  }
}

function unreachable(message: string): GatewayState {
  return { reachable: false, message }
}

function problemsOfResources({ problems, unreadable }: ClusterFacts): Overview['problems'] {
  return [
    ...problems.map(({ place, reason, message }) => ({
      severity: place.kind === 'LLMGateway' ? ('error' as const) : ('warning' as const),
      message: `${place.kind} ${place.namespace}/${place.name}: ${reason}.`,
      todo: message,
    })),
    ...unreadable
      .filter(({ command }) => command !== null)
      .map(({ namespace, kind, command }) => ({
        severity: 'warning' as const,
        message: `${kind}s in namespace ${namespace} cannot be read.`,
        todo: `A person who may bind roles there can run: ${command}`,
      })),
  ]
}
