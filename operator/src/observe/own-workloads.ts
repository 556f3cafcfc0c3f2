import type { LlmGateway } from '@llm-gateway/crds'
import { keyOf, type Stored } from '@llm-gateway/kube'
import type { ClusterState } from '../kube/cluster-state.ts'
import { controllerOf, type Pod } from '../kube/decode.ts'
import { namesOf } from '../model/names.ts'
import type { ObservedDeployment } from '../model/snapshot.ts'

type Caches = Pick<ClusterState, 'deployments' | 'gateways' | 'pods' | 'replicaSets'>

/**
 * Returns the pods of a gateway's own Deployment. The label isn't enough: anybody who may make a pod can set it, and
 * such a pod's answers and address are not to be trusted.
 */
export function ownPods(state: Caches, gateway: string): readonly Pod[] {
  const { metadata } = state.gateways.get(gateway) ?? {}
  if (metadata === undefined) return []
  const isOwn = podsOfDeployment(state, keyOf({ ...metadata, name: namesOf(metadata).gateway }), metadata.uid)
  return state.pods.of(gateway).filter(isOwn)
}

/**
 * Returns a function that tells whether a pod belongs to the Deployment with that key and the owner with that uid. The
 * function follows owners by uid: pod → ReplicaSet → Deployment.
 */
export function podsOfDeployment(
  { deployments, replicaSets }: Pick<Caches, 'deployments' | 'replicaSets'>,
  deployment: string,
  owner: string,
): (pod: Stored) => boolean {
  const own = deployments.get(deployment)
  if (own === undefined || controllerOf(own) !== owner) return () => false
  return (pod) => {
    const [set] = replicaSets.of(controllerOf(pod) ?? '')
    return set?.metadata.namespace === pod.metadata.namespace && controllerOf(set) === own.metadata.uid
  }
}

/** Returns the observed state of a Deployment; undefined: the gateway doesn't own it. */
export function ownedDeployment(
  { deployments }: Pick<ClusterState, 'deployments'>,
  { metadata: { namespace, uid } }: LlmGateway,
  name: string,
): ObservedDeployment | undefined {
  const workload = deployments.get(keyOf({ namespace, name }))
  return workload !== undefined && controllerOf(workload) === uid ? workload.observed : undefined
}
