import type { ResourceKind, ResourceSummary, Resources } from '@llm-gateway/gui-api'
import type { ClusterView } from './cluster-view.ts'
import type { RowsQuery } from './questions.ts'
import { type AnyResource, rowOf } from './resource-row.ts'

const KINDS: readonly ResourceKind[] = ['LLMGateway', 'Router', 'Processor']

/** Returns a page of the requested resources, and the lists that can't be read. */
export function listRows(view: ClusterView, query: RowsQuery, unreadable: Resources['unreadable']): Resources {
  const all = allResources(view)
  const rows = all
    .filter((resource) => isMatch(resource, query))
    .map((resource) => [placeKey(resource), resource] as const)
  const fitting =
    query.ready === undefined ? rows : rows.filter(([, resource]) => rowOf(resource).ready === query.ready)
  const sorted = fitting.toSorted(([one], [other]) => (one < other ? -1 : 1))
  const { after } = query
  const start = after === undefined ? 0 : sorted.findIndex(([key]) => key > after)
  const page = start < 0 ? [] : sorted.slice(start, start + query.limit)
  const last = page.at(-1)?.[0]
  return {
    resources: page.map(([, resource]) => rowOf(resource)),
    next: last !== undefined && start + page.length < sorted.length ? last : null,
    total: sorted.length,
    counts: KINDS.map((kind) => {
      const ofKind = all.filter((resource) => resource.kind === kind)
      return { kind, total: ofKind.length, not_ready: ofKind.filter((resource) => !isReady(resource)).length }
    }),
    unreadable,
  }
}

/** Returns all resources attached to the gateway, and the gateway itself. */
function allResources(view: ClusterView): readonly AnyResource[] {
  const { gateway } = view
  return [
    ...(gateway === undefined ? [] : [{ kind: 'LLMGateway' as const, resource: gateway }]),
    ...view.attachedRouters.map((resource) => ({ kind: 'Router' as const, resource })),
    ...view.attachedProcessors.map((resource) => ({ kind: 'Processor' as const, resource })),
  ]
}

function isReady(one: AnyResource): boolean {
  return one.resource.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true
}

/** Returns the sort key of a resource: kind in the listed order, namespace and name. */
function placeKey({ kind, resource: { metadata } }: AnyResource): string {
  return `${KINDS.indexOf(kind)}/${metadata.namespace}/${metadata.name}`
}

function isMatch({ kind, resource }: AnyResource, query: RowsQuery): boolean {
  const { metadata, spec } = resource
  if (query.kind !== undefined && query.kind !== kind) return false
  if (query.namespace !== undefined && query.namespace !== metadata.namespace) return false
  if (query.text === undefined) return true
  const text = query.text.toLowerCase()
  const own: readonly string[] = 'path' in spec ? [spec.path] : 'type' in spec ? [spec.type] : []
  return [metadata.name, metadata.namespace, ...own].some((shown) => shown.toLowerCase().includes(text))
}

/** Returns rows of resources whose condition Ready is False, at most `most`. */
export function brokenRows(view: ClusterView, most: number): readonly ResourceSummary[] {
  const broken: ResourceSummary[] = []
  for (const one of allResources(view)) {
    if (broken.length >= most) break
    if (one.resource.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'False') === true)
      broken.push(rowOf(one))
  }
  return broken
}
