import type { LlmGateway } from '@llm-gateway/crds'
import { keyOf, type Stored } from '@llm-gateway/kube'
import type { ClusterState } from '../kube/cluster-state.ts'
import { PROCESSOR_LABEL } from '../model/kube-object.ts'
import type { ObservedProcessor } from '../model/snapshot.ts'
import { processorObjectName } from '../translate/processors/processor-names.ts'
import { runsNewest } from './is-rolled-out.ts'
import { ownedDeployment, podsOfDeployment } from './own-workloads.ts'

/** Returns the caches' view of the workloads of a gateway's Processors, by the Processors' names. */
export function observeProcessors(state: ClusterState, gateway: LlmGateway): ReadonlyMap<string, ObservedProcessor> {
  const { namespace } = gateway.metadata
  const failures = new Map<string, ObservedProcessor['failure']>()
  const judges = new Map<string, (pod: Stored) => boolean>()
  const isOwn = (pod: Stored, name: string): boolean => {
    const key = keyOf({ namespace, name: processorObjectName(name) })
    const judge = judges.get(name) ?? podsOfDeployment(state, key, gateway.metadata.uid)
    judges.set(name, judge)
    return judge(pod)
  }
  for (const pod of state.processorPods.objects.values()) {
    const { metadata, failure } = pod
    const name = metadata.labels[PROCESSOR_LABEL] ?? ''
    const counts = metadata.namespace === namespace && metadata.deletionTimestamp === undefined
    if (counts && failure !== undefined && isOwn(pod, name)) failures.set(name, failure)
  }
  return new Map(
    state.processors.of(keyOf(gateway.metadata)).map(({ metadata: { name } }) => [
      name,
      {
        deployment: ownedDeployment(state, gateway, processorObjectName(name)),
        failure: failures.get(name),
        rolledOut: runsNewest(state, keyOf({ namespace, name: processorObjectName(name) })),
      },
    ]),
  )
}
