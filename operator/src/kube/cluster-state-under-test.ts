import { Store } from '@llm-gateway/kube'
import type { ClusterState } from './cluster-state.ts'
import { decodeProcessor, decodeRouter } from './decode-resource.ts'

/** Returns the state of a cluster without objects, in which Routers and Processors are those of one gateway. */
export function emptyClusterState(gatewayKey: string): ClusterState {
  return {
    gateways: new Store(),
    routers: new Store({ indexBy: () => gatewayKey }),
    processors: new Store({ indexBy: () => gatewayKey }),
    namespaces: new Store(),
    pods: new Store(),
    processorPods: new Store(),
    deployments: new Store(),
    buses: new Store(),
    replicaSets: new Store(),
    metadata: new Map(),
    forbidden: new Map(),
    decoders: { router: decodeRouter, processor: decodeProcessor },
    synced: Promise.resolve(),
    isSynced: true,
    close: async () => undefined,
  }
}
