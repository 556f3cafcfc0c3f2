import type {
  Applied,
  ProcessorState,
  Resource,
  ResourceCheck,
  ResourceKind,
  Resources,
  Routers,
  ServiceState,
} from '@llm-gateway/gui-api'

import type { Owner } from '../bind-commands.ts'

/** The thread's start data, copied to it: the LLMGateway and the access to the API server. */
export type ClusterStart = Owner & {
  /** undefined means the cluster of this pod. */
  readonly kubeconfig: string | undefined
  readonly environment: { readonly KUBERNETES_SERVICE_HOST?: string; readonly KUBERNETES_SERVICE_PORT?: string }
}

export type ResourcePlace = { readonly kind: ResourceKind; readonly namespace: string; readonly name: string }

/** The wanted rows, like the query of the endpoint. */
export type RowsQuery = {
  readonly kind?: ResourceKind | undefined
  readonly namespace?: string | undefined
  readonly text?: string | undefined
  readonly ready?: 'True' | 'False' | 'Unknown' | undefined
  readonly after?: string | undefined
  readonly limit: number
}

/** Questions to the thread. Objects of the API server are passed unparsed. */
export type ClusterQuestion =
  | { readonly kind: 'rows'; readonly query: RowsQuery }
  | { readonly kind: 'shown'; readonly object: unknown }
  | { readonly kind: 'place'; readonly manifest: string }
  | { readonly kind: 'check'; readonly manifest: string; readonly stored: unknown }
  | { readonly kind: 'applyPlan'; readonly manifest: string; readonly stored: unknown }
  | { readonly kind: 'applied'; readonly before: unknown; readonly after: unknown }
  | { readonly kind: 'file'; readonly configMap: unknown }
  | { readonly kind: 'routers' }
  | { readonly kind: 'callers'; readonly path: string }
  | { readonly kind: 'cluster' }
  | { readonly kind: 'schema'; readonly of: ResourceKind }

/** A question with the namespaces that gui_config.json names now. */
export type ClusterRequest = { readonly question: ClusterQuestion; readonly namespaces: readonly string[] }

export type ManifestError = ResourceCheck['errors'][number]

/** A pod of the gateway. */
export type GatewayPodPlace = {
  readonly name: string
  readonly node: string
  readonly ready: boolean
  /** Empty until the pod has an address. */
  readonly address: string
}

/** The LLMGateway and its workloads, as far as they are known. */
export type ClusterFacts = {
  /** True after each list was answered once, with objects or with a refusal. */
  readonly synced: boolean
  /** undefined if there is none or it can't be read. */
  readonly gateway:
    | { readonly scheme: 'http' | 'https'; readonly sessionHeader: string; readonly maskedHeaders: readonly string[] }
    | undefined
  readonly pods: readonly GatewayPodPlace[]
  readonly services: readonly ServiceState[]
  /** The Processors; counts from the gateway are not known here. */
  readonly processors: readonly ProcessorState[]
  /** Kinds in namespaces that can't be read. */
  readonly unreadable: Resources['unreadable']
  /** Conditions that are False, the gateway's own first; at most 50. */
  readonly problems: readonly { readonly place: ResourcePlace; readonly reason: string; readonly message: string }[]
}

export type ClusterAnswer =
  | { readonly kind: 'rows'; readonly value: Resources }
  /** undefined for a foreign kind and for a value that is no object. */
  | { readonly kind: 'shown'; readonly value: ShownResource | undefined }
  | { readonly kind: 'place'; readonly value: ResourcePlace | undefined }
  | { readonly kind: 'check'; readonly value: Omit<ResourceCheck, 'command'> }
  | { readonly kind: 'applyPlan'; readonly value: ApplyPlan }
  | { readonly kind: 'applied'; readonly value: Omit<Applied, 'result'> }
  | { readonly kind: 'file'; readonly value: EffectiveFile }
  | { readonly kind: 'routers'; readonly value: Routers }
  | { readonly kind: 'callers'; readonly value: CallerHeaders }
  | { readonly kind: 'cluster'; readonly value: ClusterFacts }
  | { readonly kind: 'schema'; readonly value: Readonly<Record<string, unknown>> }

/** A resource without the parts that need requests of their own. */
export type ShownResource = Omit<Resource, 'events' | 'editable' | 'not_editable'>

/** The object for the API server, with the literals behind its masks (`secrets`), or the reason why there is none. */
export type ApplyPlan =
  | {
      readonly kind: 'ready'
      readonly place: ResourcePlace
      readonly object: object
      readonly secrets: readonly string[]
    }
  | { readonly kind: 'invalid'; readonly errors: readonly ManifestError[] }
  /** A mask stands where nothing was masked. */
  | { readonly kind: 'nowhere'; readonly paths: readonly string[] }

/**
 * The headers that a Router asks of callers, as far as its resource has them. `secrets` also holds its other literals.
 */
export type CallerHeaders = {
  readonly headers: readonly (readonly [name: string, values: readonly string[]])[]
  readonly secrets: readonly string[]
}

export type EffectiveFile = {
  readonly text: string | null
  readonly digest: string | null
  readonly why: string | null
}
