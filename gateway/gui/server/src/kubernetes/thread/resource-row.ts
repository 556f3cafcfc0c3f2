import type { Condition, LlmGateway, ObjectMeta, Processor, Router } from '@llm-gateway/crds'
import type { ResourceCondition, ResourceSummary } from '@llm-gateway/gui-api'
import { decodeMetadata } from '@llm-gateway/kube'

/** A stored resource with the names of its managers, and with its labels, which the operator's decoders leave out. */
export type Watched<T> = T & { readonly managers: readonly string[]; readonly labels: ObjectMeta['labels'] }
export type AnyResource =
  | { readonly kind: 'LLMGateway'; readonly resource: Watched<LlmGateway> }
  | { readonly kind: 'Router'; readonly resource: Watched<Router> }
  | { readonly kind: 'Processor'; readonly resource: Watched<Processor> }

const NOT_LOOKED_AT = {
  ready: 'Unknown',
  reason: 'Pending',
  message: 'The operator has not checked the resource yet.',
} as const
const OLD = {
  ready: 'Unknown',
  reason: 'Pending',
  message: 'The operator has not checked the newest edit yet.',
} as const

/** Returns the row of a resource. */
export function rowOf(one: AnyResource): ResourceSummary {
  const { metadata, status, managers, labels, unreadable } = one.resource
  const conditions = status.conditions ?? []
  const generation = unreadable?.generation ?? metadata.generation
  return {
    kind: one.kind,
    namespace: metadata.namespace,
    name: metadata.name,
    gateway: one.kind === 'LLMGateway' ? metadata.name : one.resource.spec.gatewayRef.name,
    ...(one.kind === 'Router' ? { path: one.resource.spec.path } : {}),
    ...(one.kind === 'Processor' ? { type: one.resource.spec.type } : {}),
    generation,
    created: metadata.creationTimestamp,
    ...readiness(conditions, generation),
    conditions: conditions.map(shownCondition),
    managed_by: [...managers],
    labels: { ...labels },
  }
}

/** The most characters of a resource's labels, of which the API server takes a megabyte. */
const MOST_LABELS = 4_096

/** Returns the labels of a stored resource, the first by name where they are too long. */
export function labelsOf(object: unknown): ObjectMeta['labels'] {
  const labels = Object.entries(decodeMetadata(object)?.metadata.labels ?? {})
  let room = MOST_LABELS
  const kept = labels
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .filter(([name, value]) => {
      room -= name.length + value.length
      return room >= 0
    })
  return Object.fromEntries(kept)
}

/** Converts a stored condition for the page. */
export function shownCondition({
  type,
  status,
  reason,
  message,
  observedGeneration,
  lastTransitionTime,
}: Condition): ResourceCondition {
  return { type, status, reason, message, observed_generation: observedGeneration ?? null, since: lastTransitionTime }
}

function readiness(conditions: readonly Condition[], generation: number) {
  const found = conditions.find(({ type }) => type === 'Ready')
  if (found === undefined) return NOT_LOOKED_AT
  if ((found.observedGeneration ?? generation) < generation) return OLD
  const { status: ready, reason, message } = found
  return { ready, reason, message }
}
