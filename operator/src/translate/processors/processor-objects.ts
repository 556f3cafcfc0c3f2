import type { LlmGateway, Processor } from '@llm-gateway/crds'
import { type ObjectHead, ownedMetadata, PROCESSOR_LABEL } from '../../model/kube-object.ts'
import type { Manifest, OwnedMetadata, PodDisruptionBudget } from '../../model/manifest.ts'
import { type ProcessorInputs, processorDeployment } from './processor-deployment.ts'
import { processorObjectName, SETTINGS_KEY } from './processor-names.ts'

/** Makes the objects that run a Processor, in the order in which they are applied. The gateway owns all of them. */
export function processorObjects(processor: Processor, parts: ProcessorInputs): readonly Manifest[] {
  const metadata = processorMetadata(processor, parts.gateway)
  const text = JSON.stringify(parts.settings)
  const selector = { [PROCESSOR_LABEL]: processor.metadata.name }
  const budget: PodDisruptionBudget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata,
    spec: { maxUnavailable: 1, selector: { matchLabels: selector } },
  }
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata, automountServiceAccountToken: false },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { [SETTINGS_KEY]: text } },
    // This budget lets one pod be evicted, so with one pod it would protect nothing.
    ...(processor.spec.replicas > 1 ? [budget] : []),
    processorDeployment(processor, { ...parts, metadata, text }),
  ]
}

/** Returns the places of these objects, whether or not they exist. */
export function processorPlaces(processor: Processor, gateway: LlmGateway): readonly ObjectHead[] {
  const metadata = processorMetadata(processor, gateway)
  return ['ServiceAccount', 'ConfigMap', 'PodDisruptionBudget', 'Deployment'].map((kind) => ({ kind, metadata }))
}

function processorMetadata({ metadata: { name } }: Processor, gateway: LlmGateway): OwnedMetadata {
  const owned = ownedMetadata(gateway.metadata, processorObjectName(name), 'processor')
  return { ...owned, labels: { ...owned.labels, [PROCESSOR_LABEL]: name } }
}
