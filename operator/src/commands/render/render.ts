import { API_VERSION, type Condition, type ObjectMeta } from '@llm-gateway/crds'
import { keyOf } from '@llm-gateway/kube'
import { type Judgement, judgeSnapshot } from '../../judge/judge-snapshot.ts'
import { gatewayKeyOf, gatewayKeyOfProcessor } from '../../model/gateway-key.ts'
import type { KubeObject } from '../../model/kube-object.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { orphanProcessorStatus } from '../../translate/processors/orphan-processor-status.ts'
import { orphanStatus } from '../../translate/routers/orphan-status.ts'
import type { Resources } from './resources.ts'
import { snapshotsOf } from './snapshots-of.ts'

/** The configurations and statuses that the operator would make of a folder. */
export type Rendered = {
  readonly gateways: readonly RenderedGateway[]
  /** Statuses of Routers and Processors whose gateway isn't in the folder. */
  readonly orphans: readonly StatusDocument[]
}

export type RenderedGateway = {
  readonly namespace: string
  readonly name: string
  /** "" where the configuration has no room in a ConfigMap, so that the operator would write none. */
  readonly glConfig: string
  /** `V_…` → text: the values that gl_config.json refers to, which are secrets. */
  readonly values: ReadonlyMap<string, string>
  readonly objects: readonly KubeObject[]
  /** The gateway's status, then its Routers', then its Processors'. */
  readonly statuses: readonly StatusDocument[]
}

/** A resource with its name and status only. */
export type StatusDocument = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly status: { readonly conditions?: readonly Condition[] | undefined }
}

/** Translates each gateway of a folder. The statuses are those of a cluster in which everything runs. */
export function render(resources: Resources, defaultImage: string): Rendered {
  const now = newestOf(resources)
  return {
    gateways: snapshotsOf(resources, defaultImage).map((snapshot) => renderGateway(snapshot, now)),
    orphans: orphansOf(resources, now),
  }
}

function renderGateway(snapshot: Snapshot, now: string): RenderedGateway {
  const { translation, statuses } = judgeSnapshot(snapshot, now)
  const { name, namespace } = snapshot.gateway.metadata
  const { glConfig, values, objects } = translation
  return { namespace, name, glConfig, values, objects, statuses: documentsOf(snapshot, statuses) }
}

function documentsOf(snapshot: Snapshot, statuses: Judgement['statuses']): readonly StatusDocument[] {
  const { gateway, routers, processors } = statuses
  return [
    document('LLMGateway', snapshot.gateway, gateway),
    ...routers.map(({ router, status }) => document('Router', router, status)).toSorted(byKey),
    ...processors.map(({ processor, status }) => document('Processor', processor, status)).toSorted(byKey),
  ]
}

function orphansOf({ gateways, routers, processors }: Resources, now: string): readonly StatusDocument[] {
  const there = new Set(gateways.map(({ metadata }) => keyOf(metadata)))
  return [
    ...routers
      .filter((router) => !there.has(gatewayKeyOf(router)))
      .map((router) => document('Router', router, orphanStatus(router, now)))
      .toSorted(byKey),
    ...processors
      .filter((processor) => !there.has(gatewayKeyOfProcessor(processor)))
      .map((processor) => document('Processor', processor, orphanProcessorStatus(processor, now)))
      .toSorted(byKey),
  ]
}

function document(
  kind: string,
  { metadata: { name, namespace } }: { readonly metadata: ObjectMeta },
  status: StatusDocument['status'],
): StatusDocument {
  return { apiVersion: API_VERSION, kind, metadata: { name, namespace }, status }
}

function byKey(a: StatusDocument, b: StatusDocument): number {
  return keyOf(a.metadata) < keyOf(b.metadata) ? -1 : 1
}

/** Takes the newest time in the folder as the clock, so that one folder always gives the same statuses. */
function newestOf({ gateways, routers, processors }: Resources): string {
  const times = [...gateways, ...routers, ...processors].map(({ metadata }) => metadata.creationTimestamp)
  return times.toSorted().at(-1) ?? '1970-01-01T00:00:00Z'
}
