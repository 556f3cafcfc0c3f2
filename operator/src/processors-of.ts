import type { LlmGateway, Processor } from '@llm-gateway/crds'
import type { ClusterState } from './kube/cluster-state.ts'
import { controllerOf } from './kube/decode.ts'
import { keyOf } from './kube/store.ts'
import type { ObservedDeployment, ObservedProcessor } from './snapshot.ts'
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
      { deployment: deploymentOf(state, gateway, name), failure: failures.get(name) },
    ]),
  )
}

function deploymentOf(
  state: ClusterState,
  { metadata }: LlmGateway,
  processor: string,
): ObservedDeployment | undefined {
  const key = keyOf({ namespace: metadata.namespace, name: processorObjectName(processor) })
  const workload = state.deployments.get(key)
  return workload !== undefined && controllerOf(workload) === metadata.uid ? workload.observed : undefined
}
