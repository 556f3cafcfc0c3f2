import type { ProcessorEntry } from '@llm-gateway/conf'
import type { LlmGateway, Processor, Router } from '@llm-gateway/crds'
import type { RoleName } from './role-name.ts'

/** What a Secret or ConfigMap held when it was read. */
export type Source =
  | {
      readonly kind: 'found'
      /** A Secret's type, "" of a ConfigMap. */
      readonly type: string
      /** Key → text, one trailing newline dropped as the gateway does. */
      readonly values: ReadonlyMap<string, string>
      /** Its resourceVersion: who read it before another one reads something else. */
      readonly version?: string
      /** The operator made it. */
      readonly made?: boolean
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed' }

/** Everything that what we make of a gateway depends on, as plain data. */
export type Snapshot = {
  readonly gateway: LlmGateway
  readonly otherGateways: readonly LlmGateway[]
  /** Those that name this gateway. */
  readonly routers: readonly Router[]
  /** Those that name this gateway. */
  readonly processors: readonly Processor[]
  /** Processor → its Deployment, where there is one of ours. */
  readonly processorDeployments: ReadonlyMap<string, ObservedDeployment>
  /** The call points in the configuration as it stands; read where a required or unreadable Processor is, else empty. */
  readonly liveCallPoints: readonly LiveCallPoint[]
  /** The routers there, by path; read where the spec of a Router or Processor was never read. */
  readonly liveRouters?: ReadonlyMap<string, RouterEntry>
  /** Namespace → labels. */
  readonly namespaces: ReadonlyMap<string, Readonly<Record<string, string>>>
  /** `namespace/Secret/name` or `namespace/ConfigMap/name` → what it holds. */
  readonly sources: ReadonlyMap<string, Source>
  /** The values as they were written last, `V_…` → text; asked for when a source or a spec could not be read. */
  readonly liveValues?: Pick<ReadonlyMap<string, string>, 'get'>
  /** Its own; unset: there is none. */
  readonly bus?: ObservedBus
  /** Where an LLMGateway names none. */
  readonly defaultImage: string
  /** Whose pods ask the gateway's for their status. */
  readonly operatorNamespace: string
  /** On those pods; unset or empty: as shipped. */
  readonly operatorLabels?: Readonly<Record<string, string>>
  /** What accounts of web interfaces may read; unset: people bind a role of theirs. */
  readonly webReadRole?: RoleName | undefined
  /** Of the operator that looks after it; unset: it runs without one. */
  readonly lease?: { readonly namespace: string; readonly name: string } | undefined
}

/** An entry of `routers` in gl_config.json, keys in this order (docs/reference/configuration-rules.md#routers-in-the-file). */
export type RouterEntry =
  | { readonly path: string; readonly disabled: true }
  | {
      readonly path: string
      readonly internal?: true
      readonly ingress: { readonly headers: EntryHeaders }
      readonly outbound: { readonly url: string; readonly endpoint: string; readonly headers: EntryHeaders }
    }
export type EntryHeaders = Readonly<Record<string, readonly string[]>>

/** The StatefulSet of a bus as it is. */
export type ObservedBus = {
  readonly image: string
  /** Its pod is ready, and is one of the template that is wanted now. */
  readonly ready: boolean
  readonly annotations: Readonly<Record<string, string>>
}

export type LiveCallPoint = {
  readonly phase: 'request' | 'response'
  readonly row: number
  readonly entry: ProcessorEntry
}

export type PodRecords = {
  /** Whether the bus keeps what this pod publishes; `unknown` until it asked. */
  readonly stream: 'unknown' | 'on' | 'off' | 'missing' | 'failing'
  /** Why it doesn't: `STORE_10039`. */
  readonly code?: string
  /** Whole 64 MiB: each answer that differs is looked at. */
  readonly spooledBytes: number
  /** Sinks that the stream has overtaken within a day; unset: none. */
  readonly overtaken?: readonly OvertakenSink[]
}

export type OvertakenSink = {
  /** `nats2file` */
  readonly sink: string
  /** How many records it lacks. */
  readonly records: number
  /** RFC 3339, whole seconds. */
  readonly since: string
}

/** What a gateway pod says of its configuration. */
export type PodReport =
  | {
      readonly kind: 'reported'
      readonly digest: string
      readonly valuesRevision: string
      readonly busConnected: boolean
      /** Unset: a gateway that says nothing of them. */
      readonly records?: PodRecords
      /** Router path → hash of its entry; undefined: not known for this digest. */
      readonly entries: ReadonlyMap<string, string> | undefined
      /** `gl_config.Routers[3].Router.Outbound.Url`: what it rejects of its file; the first 16 are told. */
      readonly rejectedFields?: readonly string[]
      /** It has a newer file that it can't load. */
      readonly reloadFailed?: boolean
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
  /** It was, when its controller looked last; that was before its newest edit. */
  readonly wasAvailable?: boolean
  /** RFC 3339; unset: it is available. */
  readonly unavailableSince?: string
  /** The API server refuses its pods: a quota, an admission. */
  readonly refused?: boolean
  readonly stuck: boolean
  readonly replicas: number
  readonly readyReplicas: number
  readonly updatedReplicas: number
}

/** Why a pod doesn't start; `place`: no node takes it. */
export type PodFailure = 'image' | 'crash' | 'place'

export type ObservedProcessor = {
  readonly deployment: ObservedDeployment | undefined
  /** Of one of its pods; undefined: nothing of that kind is seen. */
  readonly failure: PodFailure | undefined
  /** Every pod of it runs the template that is wanted now. */
  readonly rolledOut: boolean
}

/** One of the objects that are made for a gateway. */
export type ObjectName = { readonly kind: string; readonly name: string }

/** An object that the API server refused to write or to delete, by its code and the fields that it named. */
export type ApplyFailure = ObjectName & { readonly code: string; readonly fields?: readonly string[] }

/** What was found of that which we made, as plain data. */
export type Observation = {
  /** RFC 3339, whole seconds. */
  readonly now: string
  readonly pods: readonly ObservedPod[]
  readonly deployment: ObservedDeployment | undefined
  /** Every pod of the gateway runs the template that is wanted now. */
  readonly rolledOut: boolean
  /** Of one of the gateway's pods; unset: nothing of that kind is seen. */
  readonly podFailure?: PodFailure | undefined
  /** By kind; those that aren't there have a cause that is told elsewhere. */
  readonly sinks?: ReadonlyMap<string, ObservedDeployment>
  /** Of the web interface; unset: there is none, or not yet. */
  readonly web?: ObservedDeployment | undefined
  /** How often the bus keeps each record; unset: not known, or a bus of one server. */
  readonly copies?: number | undefined
  /** By the Processor's name. */
  readonly processors: ReadonlyMap<string, ObservedProcessor>
  /** There already and not ours. */
  readonly nameConflicts: readonly ObjectName[]
  /** Decimal; what pods are to have. */
  readonly valuesRevision: string
  /** What the API server refused. */
  readonly applyFailures: readonly ApplyFailure[]
}

export function sourceKey(namespace: string, kind: 'Secret' | 'ConfigMap', name: string): string {
  return `${namespace}/${kind}/${name}`
}

/** For messages: `Service main`. */
export function objectText({ kind, name }: ObjectName): string {
  return `${kind} ${name}`
}

/** For messages: `Deployment main: Invalid (spec.replicas)`. */
export function failureText({ code, fields = [], ...object }: ApplyFailure): string {
  return `${objectText(object)}: ${code}${fields.length === 0 ? '' : ` (${fields.join(', ')})`}`
}
