import type { Logger } from '@llm-gateway/conf'
import { GATEWAY_LABEL, type LlmGateway, type Processor, type Router } from '@llm-gateway/crds'
import { PROCESSOR_LABEL } from '../translate/processors/processor-names.ts'
import {
  decodeDeployment,
  decodeGateway,
  decodeMetadata,
  decodePod,
  decodeProcessor,
  decodeRouter,
  type Pod,
  type Workload,
} from './decode.ts'
import { decodeProcessorPod, type ProcessorPod } from './processor-pod.ts'
import { type Reflector, startReflector } from './reflector.ts'
import { collectionPath, type Kind } from './resource-path.ts'
import { Store, type Stored } from './store.ts'
import type { Transport } from './transport.ts'

const OURS = 'app.kubernetes.io/managed-by=llm-gateway-operator'

/** All that the operator watches. */
export type ClusterState = {
  readonly gateways: Store<LlmGateway>
  readonly routers: Store<Router>
  readonly processors: Store<Processor>
  readonly namespaces: Store<Stored>
  readonly pods: Store<Pod>
  /** Pods of Processors. */
  readonly processorPods: Store<ProcessorPod>
  readonly deployments: Store<Workload>
  /** Metadata by kind; of Secrets and ConfigMaps everybody's, of the rest what we made. */
  readonly metadata: ReadonlyMap<string, Store<Stored>>
  /** Every first list is there. */
  readonly synced: Promise<unknown>
  readonly isSynced: boolean
  close(): Promise<void>
}

export function watchCluster(transport: Transport, logger: Logger): ClusterState {
  const reflectors: Reflector[] = []
  const synced: Promise<void>[] = []
  const checks: (() => boolean)[] = []
  const reflect = <T extends Stored>(
    kind: Kind,
    decode: (object: unknown) => T | undefined,
    more: Selection = {},
  ): Store<T> => {
    const store = new Store<T>()
    reflectors.push(startReflector({ transport, path: collectionPath(kind), store, decode, logger, ...more }))
    synced.push(store.synced)
    checks.push(() => store.isSynced)
    return store
  }
  const owned = (kind: Kind, more: Selection) => reflect(kind, decodeMetadata, { metadataOnly: true, ...more })
  const deployments = reflect('Deployment', decodeDeployment, { labelSelector: OURS })
  const metadata = new Map<string, Store<Stored>>([
    ['Secret', owned('Secret', {})],
    ['ConfigMap', owned('ConfigMap', {})],
    ['Service', owned('Service', { labelSelector: OURS })],
    ['ServiceAccount', owned('ServiceAccount', { labelSelector: OURS })],
    ['NetworkPolicy', owned('NetworkPolicy', { labelSelector: OURS })],
    ['PodDisruptionBudget', owned('PodDisruptionBudget', { labelSelector: OURS })],
    ['StatefulSet', owned('StatefulSet', { labelSelector: OURS })],
    ['Deployment', owned('Deployment', { labelSelector: OURS })],
  ])
  const gateways = reflect('LLMGateway', decodeGateway)
  const routers = reflect('Router', decodeRouter)
  const processors = reflect('Processor', decodeProcessor)
  const namespaces = reflect('Namespace', decodeMetadata, { metadataOnly: true })
  const pods = reflect('Pod', decodePod, { labelSelector: GATEWAY_LABEL })
  const processorPods = reflect('Pod', decodeProcessorPod, { labelSelector: PROCESSOR_LABEL })
  return {
    gateways,
    routers,
    processors,
    namespaces,
    pods,
    processorPods,
    deployments,
    metadata,
    synced: Promise.all(synced),
    get isSynced() {
      return checks.every((isSynced) => isSynced())
    },
    close: async () => {
      await Promise.all(reflectors.map((reflector) => reflector.close()))
    },
  }
}

type Selection = { readonly labelSelector?: string; readonly metadataOnly?: boolean }
