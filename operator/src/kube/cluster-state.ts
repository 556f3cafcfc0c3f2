import type { Logger } from '@llm-gateway/conf'
import { GATEWAY_LABEL, type LlmGateway, type Processor, type Router } from '@llm-gateway/crds'
import {
  collectionPath,
  type Kind,
  namespacePath,
  type Reflector,
  type ReflectorTimings,
  Store,
  type Stored,
  startReflector,
  type Transport,
} from '@llm-gateway/kube'
import { failureOf } from '../failure-of.ts'
import { gatewayKeyOf, gatewayKeyOfPod, gatewayKeyOfProcessor } from '../model/gateway-key.ts'
import { PROCESSOR_LABEL } from '../model/kube-object.ts'
import { MOST_KEPT_BYTES } from '../translate/processors/custom-config.ts'
import { MOST_KEPT_CHARACTERS } from '../translate/routers/no-room.ts'
import {
  type BusSet,
  controllerOf,
  decodeBus,
  decodeDeployment,
  decodePod,
  decodeProcessorPod,
  type Pod,
  type ProcessorPod,
  type Workload,
} from './decode.ts'
import { decodeLean, decodeNamespace } from './decode-lean.ts'
import { decodeProcessor, decodeRouter, gatewayDecoder } from './decode-resource.ts'
import { processorWithoutRoom, roomOfProcessor } from './lean-processor.ts'
import { roomOfRouter, routerWithoutRoom } from './lean-router.ts'
import { NamespaceRoom, type NamespaceRoomOptions } from './namespace-room.ts'
import { readNamespace } from './read-namespace.ts'
import { WatchedNamespace } from './watched-namespace.ts'

const OURS = 'app.kubernetes.io/managed-by=llm-gateway-operator'

/** The caches of all objects that the operator watches. */
export type ClusterState = {
  readonly gateways: Store<LlmGateway>
  readonly routers: Store<Router>
  readonly processors: Store<Processor>
  readonly namespaces: Store<Stored>
  readonly pods: Store<Pod>
  /** Pods of Processors. */
  readonly processorPods: Store<ProcessorPod>
  readonly deployments: Store<Workload>
  readonly buses: Store<BusSet>
  /** ReplicaSets of the operator's Deployments, by uid. They lead from a pod to its Deployment. */
  readonly replicaSets: Store<Stored>
  /**
   * Metadata by kind, indexed by controllerUid: of all Secrets and ConfigMaps, and of objects of other kinds that the
   * operator made.
   */
  readonly metadata: ReadonlyMap<string, Store<Stored>>
  /** Named namespaces → whether one of their lists is refused. */
  readonly forbidden: ReadonlyMap<string, boolean>
  /** Decode the answers to our writes as the caches decode what they read. */
  readonly decoders: ResourceDecoders
  /** Resolves when every first list is there, apart from those of forbidden namespaces. */
  readonly synced: Promise<unknown>
  readonly isSynced: boolean
  close(): Promise<void>
}

export type ResourceDecoders = {
  readonly router: (object: unknown, before?: Router) => Router | undefined
  readonly processor: (object: unknown, before?: Processor) => Processor | undefined
}

export type ClusterOptions = {
  readonly transport: Transport
  readonly logger: Logger
  /** The class of the gateways that the operator looks after. Of others little is kept. */
  readonly gatewayClass: string
  /** The only namespaces to watch; empty: the whole cluster. */
  readonly watchNamespaces: readonly string[]
  readonly timings?: Partial<WatchTimings>
  /** True: the operator makes and watches RoleBindings. An operator without that right may not list them either. */
  readonly binds?: boolean
}

export type WatchTimings = ReflectorTimings & {
  /** A named namespace that is forbidden for this long counts as empty. */
  readonly forbiddenMs: number
}

/**
 * Long enough for a Role that is applied together with the operator, and for an API server that loads rights after its
 * start. A longer wait would let one namespace delay all others.
 */
const FORBIDDEN_MS = 30_000

export function watchCluster({
  transport,
  logger,
  gatewayClass,
  watchNamespaces,
  timings = {},
  binds = false,
}: ClusterOptions): ClusterState {
  const reflectors: Pick<Reflector, 'close'>[] = []
  const firstLists: Promise<void>[] = []
  const { forbiddenMs = FORBIDDEN_MS } = timings
  const watched = watchNamespaces.map((namespace) => new WatchedNamespace({ namespace, logger, forbiddenMs }))
  let isSynced = false
  // Reports a bug of the operator. Other listeners go on, and the object's next change is processed again.
  const listenerFailed = (error: unknown) =>
    logger.error({ ...failureOf(error) }, 'a change of an object could not be processed')
  const clusterWide = (reflector: Reflector): void => {
    reflectors.push(reflector)
    firstLists.push(reflector.synced)
  }
  const reflect = <T extends Stored>(
    kind: Kind,
    decode: (object: unknown, before?: T) => T | undefined,
    { indexBy, ...more }: Selection<T> = {},
  ): Store<T> => {
    const store = new Store<T>({ listenerFailed, ...(indexBy === undefined ? {} : { indexBy }) })
    const shared = { transport, store, decode, logger, timings, ...more }
    if (watched.length === 0) clusterWide(startReflector({ ...shared, path: collectionPath(kind) }))
    for (const one of watched) {
      const { namespace } = one
      const path = namespacePath(kind, namespace)
      reflectors.push(startReflector({ ...shared, ...one.entranceTo(store, kind), path, namespace }))
    }
    return store
  }
  const owned = (kind: Kind, more: Selection<Stored>) =>
    reflect(kind, decodeLean, { metadataOnly: true, indexBy: controllerUid, ...more })
  const deployments = reflect('Deployment', decodeDeployment, { labelSelector: OURS })
  const buses = reflect('StatefulSet', decodeBus, { labelSelector: OURS })
  const replicaSets = owned('ReplicaSet', { labelSelector: OURS, indexBy: ({ metadata }) => metadata.uid })
  const metadata = new Map<string, Store<Stored>>([
    ['Secret', owned('Secret', {})],
    ['ConfigMap', owned('ConfigMap', {})],
    ['Service', owned('Service', { labelSelector: OURS })],
    ['ServiceAccount', owned('ServiceAccount', { labelSelector: OURS })],
    ['NetworkPolicy', owned('NetworkPolicy', { labelSelector: OURS })],
    ['PodDisruptionBudget', owned('PodDisruptionBudget', { labelSelector: OURS })],
    ['StatefulSet', owned('StatefulSet', { labelSelector: OURS })],
    ['Deployment', owned('Deployment', { labelSelector: OURS })],
    ...(binds ? ([['RoleBinding', owned('RoleBinding', { labelSelector: OURS })]] as const) : []),
  ])
  const gateways = reflect('LLMGateway', gatewayDecoder(gatewayClass))
  const decoders = roomyDecoders()
  const routers = reflect('Router', decoders.router.decode, { indexBy: gatewayKeyOf })
  const processors = reflect('Processor', decoders.processor.decode, { indexBy: gatewayKeyOfProcessor })
  decoders.router.follow(routers)
  decoders.processor.follow(processors)
  const pods = reflect('Pod', decodePod, { labelSelector: GATEWAY_LABEL, indexBy: gatewayKeyOfPod })
  const processorPods = reflect('Pod', decodeProcessorPod, { labelSelector: PROCESSOR_LABEL })
  const namespaces = new Store<Stored>({ listenerFailed })
  const ofNamespaces = { transport, store: namespaces, decode: decodeNamespace, logger, timings, metadataOnly: true }
  if (watched.length === 0) clusterWide(startReflector({ ...ofNamespaces, path: collectionPath('Namespace') }))
  for (const one of watched) {
    const entrance = one.entranceTo(namespaces, 'Namespace')
    reflectors.push(readNamespace({ transport, name: one.namespace, timings, ...entrance }))
  }
  const synced = Promise.all([...firstLists, ...watched.map(({ settled }) => settled)]).then(() => {
    isSynced = true
  })
  return {
    gateways,
    routers,
    processors,
    decoders: { router: decoders.router.decode, processor: decoders.processor.decode },
    namespaces,
    pods,
    processorPods,
    deployments,
    buses,
    replicaSets,
    metadata,
    get forbidden() {
      return new Map(watched.map(({ namespace, isForbidden }) => [namespace, isForbidden]))
    },
    synced,
    get isSynced() {
      return isSynced
    },
    close: async () => {
      await Promise.all(reflectors.map((reflector) => reflector.close()))
    },
  }
}

/** Decoders of resources that keep to the room of their namespaces. */
function roomyDecoders() {
  return {
    router: withRoom(decodeRouter, {
      most: MOST_KEPT_CHARACTERS,
      takenBy: roomOfRouter,
      withoutRoom: routerWithoutRoom,
    }),
    processor: withRoom(decodeProcessor, {
      most: MOST_KEPT_BYTES,
      takenBy: roomOfProcessor,
      withoutRoom: processorWithoutRoom,
    }),
  }
}

function withRoom<T extends Stored>(
  decode: (object: unknown, before?: T) => T | undefined,
  options: NamespaceRoomOptions<T>,
) {
  const room = new NamespaceRoom(options)
  return {
    decode: (object: unknown, before?: T): T | undefined => {
      const decoded = decode(object, before)
      return decoded && room.fit(decoded)
    },
    follow: (store: Store<T>): void => {
      store.onChange(({ before, after }) => {
        if (before !== undefined && after === undefined) room.release(before)
      })
    },
  }
}

/** Returns the uid of the object's controller; "" without one. */
export function controllerUid(object: Stored): string {
  return controllerOf(object) ?? ''
}

type Selection<T> = {
  readonly labelSelector?: string
  readonly metadataOnly?: boolean
  readonly indexBy?: (object: T) => string
}
