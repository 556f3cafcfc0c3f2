import type { LlmGateway, Processor } from '@llm-gateway/crds'
import type { ClusterState } from './kube/cluster-state.ts'
import { keyOf } from './kube/store.ts'
import { ownedDeployment } from './owned-deployment.ts'
import type { ObservedProcessor } from './snapshot.ts'
import { PROCESSOR_LABEL, processorObjectName } from './translate/processors/processor-names.ts'

export function processorsOf({ processors }: ClusterState, gateway: string): readonly Processor[] {
  return processors.of(gateway)
}

/** What is seen of the workloads of a gateway's Processors, by their names. */
export function observeProcessors(state: ClusterState, gateway: LlmGateway): ReadonlyMap<string, ObservedProcessor> {
  const { namespace } = gateway.metadata
  const failures = new Map<string, ObservedProcessor['failure']>()
  for (const { metadata, failure } of state.processorPods.objects.values()) {
    const name = metadata.labels[PROCESSOR_LABEL] ?? ''
    const counts = metadata.namespace === namespace && metadata.deletionTimestamp === undefined
    if (counts && failure !== undefined) failures.set(name, failure)
  }
  return new Map(
    processorsOf(state, keyOf(gateway.metadata)).map(({ metadata: { name } }) => [
      name,
      { deployment: ownedDeployment(state, gateway, processorObjectName(name)), failure: failures.get(name) },
    ]),
  )
}
