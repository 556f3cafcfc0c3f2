import type { LlmGateway, Router } from '@llm-gateway/crds'

/** What a Secret or ConfigMap held when it was read. */
export type Source =
  | {
      readonly kind: 'found'
      /** A Secret's type, "" of a ConfigMap. */
      readonly type: string
      /** Key → text, one trailing newline dropped as the gateway does. */
      readonly values: ReadonlyMap<string, string>
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed' }

/** Everything that what we make of a gateway depends on, as plain data. */
export type Snapshot = {
  readonly gateway: LlmGateway
  readonly otherGateways: readonly LlmGateway[]
  /** Those that name this gateway. */
  readonly routers: readonly Router[]
  /** Namespace → labels. */
  readonly namespaces: ReadonlyMap<string, Readonly<Record<string, string>>>
  /** `namespace/Secret/name` or `namespace/ConfigMap/name` → what it holds. */
  readonly sources: ReadonlyMap<string, Source>
  /** Where an LLMGateway names none. */
  readonly defaultImage: string
}

/** What a gateway pod says of its configuration. */
export type PodReport =
  | {
      readonly kind: 'reported'
      readonly digest: string
      readonly valuesRevision: string
      readonly busConnected: boolean
      /** Router path → hash of its entry; undefined: not known for this digest. */
      readonly entries: ReadonlyMap<string, string> | undefined
    }
  | { readonly kind: 'unreachable' }
  /** Not asked yet. */
  | { readonly kind: 'unknown' }

export type ObservedPod = {
  readonly name: string
  readonly ready: boolean
  readonly report: PodReport
  /** For how long it has been behind what it is to have. */
  readonly lagMs: number
}

export type ObservedDeployment = {
  readonly available: boolean
  readonly stuck: boolean
  readonly replicas: number
  readonly readyReplicas: number
  readonly updatedReplicas: number
}

/** What was found of that which we made, as plain data. */
export type Observation = {
  /** RFC 3339, whole seconds. */
  readonly now: string
  readonly pods: readonly ObservedPod[]
  readonly deployment: ObservedDeployment | undefined
  /** `Service main`: there already and not ours. */
  readonly nameConflicts: readonly string[]
  /** Decimal; what pods are to have. */
  readonly valuesRevision: string
  /** `Deployment main: code`: what the API server refused. */
  readonly applyFailures: readonly string[]
}

export function sourceKey(namespace: string, kind: 'Secret' | 'ConfigMap', name: string): string {
  return `${namespace}/${kind}/${name}`
}
