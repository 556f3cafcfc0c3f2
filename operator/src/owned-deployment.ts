import type { LlmGateway } from '@llm-gateway/crds'
import { keyOf } from '@llm-gateway/kube'
import type { ClusterState } from './kube/cluster-state.ts'
import { controllerOf } from './kube/decode.ts'
import type { ObservedDeployment } from './snapshot.ts'

/** What is seen of a Deployment, where it is a gateway's. */
export function ownedDeployment(
  { deployments }: Pick<ClusterState, 'deployments'>,
  { metadata: { namespace, uid } }: LlmGateway,
  name: string,
): ObservedDeployment | undefined {
  const workload = deployments.get(keyOf({ namespace, name }))
  return workload !== undefined && controllerOf(workload) === uid ? workload.observed : undefined
}
