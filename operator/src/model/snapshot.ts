import type { ProcessorEntry } from '@llm-gateway/conf'
import type { LlmGateway, Processor, Router } from '@llm-gateway/crds'
import type { RoleName } from './role-name.ts'

/**
 * The content of a Secret or ConfigMap when it was read. `pending`: it is still being read, and only Routers name it.
 */
export type Source = FoundSource | { readonly kind: 'missing' | 'failed' | 'pending' }

export type FoundSource = {
  readonly kind: 'found'
  /** A Secret's type; "" for a ConfigMap. */
  readonly type: string
  /** Key → text, without one trailing newline, as the gateway drops it. */
  readonly values: ReadonlyMap<string, string>
  /** `uid/resourceVersion`, which changes with the content. */
  readonly version?: string
  /** True when the operator made the Secret or ConfigMap. */
  readonly made?: boolean
  /** True: its namespace had no room for its texts, so these count as too long. */
  readonly crowdedOut?: true
}

/** All facts on which a gateway's translation depends, as plain data. */
export type Snapshot = {
  readonly gateway: LlmGateway
  readonly otherGateways: readonly LlmGateway[]
  /** The Routers that name this gateway. */
  readonly routers: readonly Router[]
  /** The Processors that name this gateway. */
  readonly processors: readonly Processor[]
  /** Processor → its Deployment, if the operator made one. */
  readonly processorDeployments: ReadonlyMap<string, ObservedDeployment>
  /** The call points in the live configuration. Read where a Processor is required or unreadable, else empty. */
  readonly liveCallPoints: readonly LiveCallPoint[]
  /**
   * The routers in the live configuration, by path. Read where the spec of a Router or Processor was never read,
   * a source is pending, or it could not be read.
   */
  readonly liveRouters?: ReadonlyMap<string, RouterEntry>
  /** Namespace → labels. */
  readonly namespaces: ReadonlyMap<string, Readonly<Record<string, string>>>
  /** `namespace/Secret/name` or `namespace/ConfigMap/name` → its content. */
  readonly sources: ReadonlyMap<string, Source>
  /** The values that were written last, `V_…` → text. Read where a source or a spec could not be read. */
  readonly liveValues?: Pick<ReadonlyMap<string, string>, 'get'>
  /** Stands for each text of a source that could not be read. Set only where nobody may read sources at all. */
  readonly textOfUnread?: string
  /**
   * The code with which the API server refused those values: entries may lack values that are in use, so no
   * configuration is written. Unset: they were read, or none are needed.
   */
  readonly unreadValues?: string
  /** The gateway's managed bus; unset: there is none. */
  readonly bus?: ObservedBus
  /** The image where an LLMGateway names none. */
  readonly defaultImage: string
  /** The namespace of the operator's pods, which ask the gateway's pods for their status. */
  readonly operatorNamespace: string
  /** The labels of those pods; unset or empty: the shipped labels. */
  readonly operatorLabels?: Readonly<Record<string, string>>
  /** The role that accounts of web interfaces get; unset: people bind a role of their own. */
  readonly webReadRole?: RoleName | undefined
  /** The lease of the operator that looks after the gateway; unset: it runs without one. */
  readonly lease?: { readonly namespace: string; readonly name: string } | undefined
}

/**
 * An entry of `routers` in gl_config.json, keys in this order
 * (docs/reference/configuration-rules.md#routers-in-the-file).
 */
export type RouterEntry =
  | { readonly path: string; readonly disabled: true }
  | {
      readonly path: string
      readonly internal?: true
      readonly ingress: { readonly headers: EntryHeaders }
      readonly outbound: { readonly url: string; readonly endpoint: string; readonly headers: EntryHeaders }
    }
export type EntryHeaders = Readonly<Record<string, readonly string[]>>

/** The StatefulSet of a bus in the cluster. */
export type ObservedBus = {
  readonly image: string
  /** True when one of its pods is ready and of the newest template. */
  readonly ready: boolean
  readonly annotations: Readonly<Record<string, string>>
}

export type LiveCallPoint = {
  readonly phase: 'request' | 'response'
  readonly row: number
  readonly entry: ProcessorEntry
}

export type PodRecords = {
  /** The state of the stream that keeps this pod's records; `unknown` until the pod asked. */
  readonly stream: 'unknown' | 'on' | 'off' | 'missing' | 'failing'
  /** The reason why the bus doesn't keep the records, such as `STORE_10039`. */
  readonly code?: string
  /** Rounded down to 64 MiB, since each answer that differs causes work. */
  readonly spooledBytes: number
  /** Sinks that lost records to the stream's limits within a day; unset: none. */
  readonly overtaken?: readonly OvertakenSink[]
}

export type OvertakenSink = {
  /** The sink's program, such as `nats2file`. */
  readonly sink: string
  /** The number of records that the sink lacks. */
  readonly records: number
  /** RFC 3339, whole seconds. */
  readonly since: string
}

/** A gateway pod's answer about its configuration. */
export type PodReport =
  | {
      readonly kind: 'reported'
      readonly digest: string
      readonly valuesRevision: string
      readonly busConnected: boolean
      /** Unset: the gateway's version doesn't report them. */
      readonly records?: PodRecords
      /** Router path → hash of its entry; undefined: not known for this digest. */
      readonly entries: ReadonlyMap<string, string> | undefined
      /** The routers that the pod rejects, by their index in the file; the first 1,000. */
      readonly rejectedRouters?: readonly number[]
      /** True when the pod can't load a newer file. */
      readonly reloadFailed?: boolean
    }
  /** `tooLong`: the pod answers with more than its gateway's configuration can give. */
  | { readonly kind: 'unreachable'; readonly tooLong?: true }
  /** The pod wasn't asked yet. */
  | { readonly kind: 'unknown' }

export type ObservedPod = {
  readonly name: string
  readonly ready: boolean
  readonly report: PodReport
  /** The ms for which the pod has lacked the target configuration. */
  readonly lagMs: number
}

export type ObservedDeployment = {
  readonly available: boolean
  /** True if the Deployment was available when its controller last looked, before the newest edit. */
  readonly wasAvailable?: boolean
  /** RFC 3339; unset: the Deployment is available. */
  readonly unavailableSince?: string
  /** True when the API server refuses its pods, by a quota or an admission. */
  readonly refused?: boolean
  readonly stuck: boolean
  readonly replicas: number
  readonly readyReplicas: number
  readonly updatedReplicas: number
}

/** The reason why a pod doesn't start. `place`: no node takes the pod. */
export type PodFailure = 'image' | 'crash' | 'place'

export type ObservedProcessor = {
  readonly deployment: ObservedDeployment | undefined
  /** The failure of one of its pods; undefined: none is seen. */
  readonly failure: PodFailure | undefined
  /** True when each of its pods runs the newest template. */
  readonly rolledOut: boolean
}

/** The kind and name of an object of a gateway. */
export type ObjectName = { readonly kind: string; readonly name: string }

/** An object that the API server refused to write or delete, with its code and the fields that it named. */
export type ApplyFailure = ObjectName & { readonly code: string; readonly fields?: readonly string[] }

/** The state of a gateway's objects in the cluster, as plain data. */
export type Observation = {
  /** RFC 3339, whole seconds. */
  readonly now: string
  readonly pods: readonly ObservedPod[]
  readonly deployment: ObservedDeployment | undefined
  /** True when every pod of the gateway runs the newest template. */
  readonly rolledOut: boolean
  /** The failure of one of the gateway's pods; unset: none is seen. */
  readonly podFailure?: PodFailure | undefined
  /** Deployments of sinks by kind. Another condition tells why a Deployment is missing. */
  readonly sinks?: ReadonlyMap<string, ObservedDeployment>
  /** The web interface's Deployment; unset: none is wanted, or it doesn't exist yet. */
  readonly web?: ObservedDeployment | undefined
  /** The number of copies that the bus keeps of each record; unset: unknown, or a bus of one server. */
  readonly copies?: number | undefined
  /** By Processor name. */
  readonly processors: ReadonlyMap<string, ObservedProcessor>
  /** Objects that exist and belong to others. */
  readonly nameConflicts: readonly ObjectName[]
  /** Decimal; the revision that pods should have. */
  readonly valuesRevision: string
  /** Writes and deletions that the API server refused. */
  readonly applyFailures: readonly ApplyFailure[]
}

export function sourceKey(namespace: string, kind: 'Secret' | 'ConfigMap', name: string): string {
  return `${namespace}/${kind}/${name}`
}

/** Names an object in messages: `Service main`. */
export function objectText({ kind, name }: ObjectName): string {
  return `${kind} ${name}`
}

/** Names a refused object in messages: `Deployment main: Invalid (spec.replicas)`. */
export function failureText({ code, fields = [], ...object }: ApplyFailure): string {
  return `${objectText(object)}: ${code}${fields.length === 0 ? '' : ` (${fields.join(', ')})`}`
}
