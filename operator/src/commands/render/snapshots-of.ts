import type { LlmGateway } from '@llm-gateway/crds'
import { keyOf } from '@llm-gateway/kube'
import { readyDeployment } from '../../judge/judge-snapshot.ts'
import { DEFAULT_NAMESPACE } from '../../lease/candidate.ts'
import { gatewayKeyOf, gatewayKeyOfProcessor } from '../../model/gateway-key.ts'
import { type Snapshot, sourceKey } from '../../model/snapshot.ts'
import { webSecret } from '../../write/generated-secret.ts'
import type { Resources } from './resources.ts'

/** The API server puts this label on every namespace. */
const NAME_LABEL = 'kubernetes.io/metadata.name'

/** Returns a snapshot for each gateway, sorted, as if all its workloads ran. */
export function snapshotsOf(resources: Resources, defaultImage: string): readonly Snapshot[] {
  const namespaces = namespacesOf(resources)
  return resources.gateways.toSorted(byKey).map((gateway): Snapshot => {
    const key = keyOf(gateway.metadata)
    const processors = resources.processors.filter((processor) => gatewayKeyOfProcessor(processor) === key)
    return {
      gateway,
      otherGateways: resources.gateways.filter((other) => other !== gateway && other.spec.class === gateway.spec.class),
      routers: resources.routers.filter((router) => gatewayKeyOf(router) === key),
      processors,
      processorDeployments: new Map(
        processors.map(({ metadata: { name }, spec: { replicas } }) => [name, readyDeployment(replicas)]),
      ),
      liveCallPoints: [],
      namespaces,
      sources: new Map([...resources.sources, ...generatedFor(gateway)]),
      defaultImage,
      operatorNamespace: DEFAULT_NAMESPACE,
    }
  })
}

/** Stands in for the generated Secret, for which the template waits. Its content doesn't matter. */
function generatedFor(gateway: LlmGateway): Snapshot['sources'] {
  const secret = webSecret(gateway)
  if (secret === undefined) return new Map()
  const source = { kind: 'found', type: 'Opaque', values: new Map([[secret.key, '']]) } as const
  return new Map([[sourceKey(gateway.metadata.namespace, 'Secret', secret.name), source]])
}

function namespacesOf({ namespaces, routers }: Resources): Snapshot['namespaces'] {
  const names = new Set([...namespaces.keys(), ...routers.map(({ metadata }) => metadata.namespace)])
  return new Map([...names].map((name) => [name, { ...namespaces.get(name), [NAME_LABEL]: name }]))
}

function byKey(a: LlmGateway, b: LlmGateway): number {
  return keyOf(a.metadata) < keyOf(b.metadata) ? -1 : 1
}
