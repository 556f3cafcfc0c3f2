import type { LlmGateway } from '@llm-gateway/crds'
import { keyOf } from '@llm-gateway/kube'
import type { ClusterState } from '../kube/cluster-state.ts'
import { namesOf, sinkName } from '../model/names.ts'
import type { Observation, PodFailure } from '../model/snapshot.ts'
import { sinksOf } from '../translate/objects/sinks/sink-kinds.ts'
import { ownedDeployment, ownPods } from './own-workloads.ts'

/**
 * The order in which failures are reported: people can repair the first two, and a node for the third may still come.
 */
const FIRST: readonly PodFailure[] = ['image', 'crash', 'place']

/** Returns the caches' view of a gateway's own workloads, with those of its sinks and its web interface. */
export function observeGateway(
  state: Pick<ClusterState, 'deployments' | 'gateways' | 'pods' | 'replicaSets'>,
  gateway: LlmGateway,
): Pick<Observation, 'deployment' | 'podFailure' | 'sinks' | 'web'> {
  const key = keyOf(gateway.metadata)
  const failures = ownPods(state, key)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ failure }) => failure)
  const sinks = sinksOf(gateway).flatMap(({ kind }) => {
    const deployment = ownedDeployment(state, gateway, sinkName(gateway.metadata, kind))
    return deployment === undefined ? [] : [[kind, deployment] as const]
  })
  return {
    deployment: state.deployments.get(key)?.observed,
    podFailure: FIRST.find((failure) => failures.includes(failure)),
    sinks: new Map(sinks),
    web: gateway.spec.webInterface && ownedDeployment(state, gateway, namesOf(gateway.metadata).web),
  }
}
