import type { Logger } from '@llm-gateway/conf'
import { GATEWAY_LABEL, type LlmGateway, type Processor, type Router } from '@llm-gateway/crds'
import { failureOf } from '../failure-of.ts'
import { gatewayKeyOf, gatewayKeyOfPod, gatewayKeyOfProcessor } from '../gateway-key.ts'
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
import { readNamespaces } from './read-namespaces.ts'
import { type Reflector, startReflector } from './reflector.ts'
import { collectionPath, type Kind, namespacePath } from './resource-path.ts'
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

export type ClusterOptions = {
  readonly transport: Transport
  readonly logger: Logger
  /** Nothing else is looked at; empty: all of the cluster. */
  readonly watchNamespaces: readonly string[]
}

export function watchCluster({ transport, logger, watchNamespaces }: ClusterOptions): ClusterState {
  const reflectors: Reflector[] = []
  let isSynced = false
  // A bug of ours: the rest goes on, and the next change of the object is another chance.
  const listenerFailed = (error: unknown) => logger.error({ ...failureOf(error) }, 'a change could not be followed')
  const reflect = <T extends Stored>(
    kind: Kind,
    decode: (object: unknown) => T | undefined,
    { indexBy, ...more }: Selection<T> = {},
  ): Store<T> => {
    const store = new Store<T>({ listenerFailed, ...(indexBy === undefined ? {} : { indexBy }) })
    const shared = { transport, store, decode, logger, ...more }
    if (watchNamespaces.length === 0) reflectors.push(startReflector({ ...shared, path: collectionPath(kind) }))
    for (const namespace of watchNamespaces) {
      reflectors.push(startReflector({ ...shared, path: namespacePath(kind, namespace), namespace }))
    }
    return store
  }
  const owned = (kind: Kind, more: Selection<Stored>) => reflect(kind, decodeMetadata, { metadataOnly: true, ...more })
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
  const routers = reflect('Router', decodeRouter, { indexBy: gatewayKeyOf })
  const processors = reflect('Processor', decodeProcessor, { indexBy: gatewayKeyOfProcessor })
  const pods = reflect('Pod', decodePod, { labelSelector: GATEWAY_LABEL, indexBy: gatewayKeyOfPod })
  const processorPods = reflect('Pod', decodeProcessorPod, { labelSelector: PROCESSOR_LABEL })
  const namespaces = new Store<Stored>({ listenerFailed })
  const ofNamespaces = { transport, store: namespaces, decode: decodeMetadata, logger, metadataOnly: true }
  reflectors.push(
    watchNamespaces.length === 0
      ? startReflector({ ...ofNamespaces, path: collectionPath('Namespace') })
      : readNamespaces({ transport, names: watchNamespaces, store: namespaces }),
  )
  const synced = Promise.all(reflectors.map((reflector) => reflector.synced)).then(() => {
    isSynced = true
  })
  return {
    gateways,
    routers,
    processors,
    namespaces,
    pods,
    processorPods,
    deployments,
    metadata,
    synced,
    get isSynced() {
      return isSynced
    },
    close: async () => {
      await Promise.all(reflectors.map((reflector) => reflector.close()))
    },
  }
}

type Selection<T> = {
  readonly labelSelector?: string
  readonly metadataOnly?: boolean
  readonly indexBy?: (object: T) => string
}
