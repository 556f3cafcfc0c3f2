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

/** What the thread follows and where it gets in; copied to it. */
export type ClusterStart = Owner & {
  /** undefined: the cluster that this pod runs in. */
  readonly kubeconfig: string | undefined
  readonly environment: { readonly KUBERNETES_SERVICE_HOST?: string; readonly KUBERNETES_SERVICE_PORT?: string }
}

export type Place = { readonly kind: ResourceKind; readonly namespace: string; readonly name: string }

/** Rows that are asked for; as the endpoint's query. */
export type RowsQuery = {
  readonly kind?: ResourceKind | undefined
  readonly namespace?: string | undefined
  readonly text?: string | undefined
  readonly ready?: 'True' | 'False' | 'Unknown' | undefined
  readonly after?: string | undefined
  readonly limit: number
}

/** Objects of the API server cross the border as they came. */
export type ClusterQuestion =
  | { readonly kind: 'rows'; readonly query: RowsQuery }
  | { readonly kind: 'shown'; readonly object: unknown }
  | { readonly kind: 'place'; readonly manifest: string }
  | { readonly kind: 'check'; readonly manifest: string; readonly stored: unknown }
  | { readonly kind: 'order'; readonly manifest: string; readonly stored: unknown }
  | { readonly kind: 'applied'; readonly before: unknown; readonly after: unknown }
  | { readonly kind: 'file'; readonly configMap: unknown }
  | { readonly kind: 'routers' }
  | { readonly kind: 'callers'; readonly path: string }
  | { readonly kind: 'cluster' }
  | { readonly kind: 'schema'; readonly of: ResourceKind }

/** A question, with the namespaces that the file names now. */
export type ClusterRequest = { readonly question: ClusterQuestion; readonly namespaces: readonly string[] }

export type Fault = ResourceCheck['errors'][number]

/** A pod of the gateway. */
export type GatewayPodPlace = {
  readonly name: string
  readonly node: string
  readonly ready: boolean
  /** "" until it has one. */
  readonly address: string
}

/** The LLMGateway and what runs for it, as far as it is known. */
export type ClusterFacts = {
  /** Each list was answered once, with what is there or with a refusal. */
  readonly synced: boolean
  /** undefined: there is none, or it can't be read. */
  readonly gateway:
    | { readonly scheme: 'http' | 'https'; readonly sessionHeader: string; readonly maskedHeaders: readonly string[] }
    | undefined
  readonly pods: readonly GatewayPodPlace[]
  readonly services: readonly ServiceState[]
  /** Of the Processors; what the gateway counts of them isn't known here. */
  readonly processors: readonly ProcessorState[]
  /** Kinds in namespaces that can't be read. */
  readonly unreadable: Resources['unreadable']
  /** Conditions that are False, the gateway's own first; at most 50. */
  readonly problems: readonly { readonly place: Place; readonly reason: string; readonly message: string }[]
}

export type ClusterAnswer =
  | { readonly kind: 'rows'; readonly value: Resources }
  /** undefined: it is none of our kinds, or no object. */
  | { readonly kind: 'shown'; readonly value: ShownResource | undefined }
  | { readonly kind: 'place'; readonly value: Place | undefined }
  | { readonly kind: 'check'; readonly value: Omit<ResourceCheck, 'command'> }
  | { readonly kind: 'order'; readonly value: ApplyOrder }
  | { readonly kind: 'applied'; readonly value: Omit<Applied, 'result'> }
  | { readonly kind: 'file'; readonly value: EffectiveFile }
  | { readonly kind: 'routers'; readonly value: Routers }
  | { readonly kind: 'callers'; readonly value: CallerHeaders }
  | { readonly kind: 'cluster'; readonly value: ClusterFacts }
  | { readonly kind: 'schema'; readonly value: Readonly<Record<string, unknown>> }

/** A resource without what has to be asked for apart. */
export type ShownResource = Omit<Resource, 'events' | 'editable' | 'not_editable'>

/** What is to be sent, with the literals that masks stand for; these are secrets. */
export type ApplyOrder =
  | {
      readonly kind: 'order'
      readonly place: Place
      readonly object: object
      readonly secrets: readonly string[]
    }
  | { readonly kind: 'invalid'; readonly errors: readonly Fault[] }
  /** A mask stands where nothing was masked. */
  | { readonly kind: 'nowhere'; readonly paths: readonly string[] }

/** What a Router asks of its callers, as far as resources say; these values and the Router's other literals are secrets. */
export type CallerHeaders = {
  readonly headers: readonly (readonly [name: string, values: readonly string[]])[]
  readonly secrets: readonly string[]
}

export type EffectiveFile = {
  readonly text: string | null
  readonly digest: string | null
  readonly why: string | null
}
