import { referencedNames } from '@llm-gateway/conf/editor'
import type { Router as RouterResource } from '@llm-gateway/crds'
import { MASKED, type Router, type Routers } from '@llm-gateway/gui-api'
import type { ClusterView } from './cluster-view.ts'
import { maskResource, namesOfSecrets } from './resource-masks.ts'
import { rowOf, type Watched } from './resource-row.ts'

/** Further routers are found by typing the path. */
const MOST_ROUTERS = 1_000

/** Returns the Routers in the form of a file's routers, sorted by path, for the try page and for snippets. */
export function resourceRouters(view: ClusterView, maskedHeaders: readonly string[]): Routers {
  const routers = view.attachedRouters
    .toSorted((one, other) => (one.spec.path < other.spec.path ? -1 : 1))
    .slice(0, MOST_ROUTERS)
    .map((router) => routerOf(router, maskedHeaders))
  return { tag: String(view.revision), routers, removed: [] }
}

function routerOf(resource: Watched<RouterResource>, maskedHeaders: readonly string[]): Router {
  const { spec } = resource
  const { ready, reason, message } = rowOf({ kind: 'Router', resource })
  const names = namesOfSecrets(maskedHeaders)
  const shown = (place: 'ingress' | 'outbound') =>
    Object.entries(spec[place]?.headers ?? {}).map(([name, values]) => ({
      name,
      values: values.map((value) => textOf(maskResource({ headers: { [name]: [value] } }, names).value, name)),
    }))
  const [ingress, outbound] = [shown('ingress'), shown('outbound')]
  const variables = [...new Set(referencedNames(JSON.stringify([spec.ingress, spec.outbound])))]
  const declared = new Set(spec.env?.map(({ name }) => name))
  return {
    index: null,
    path: spec.path,
    disabled: false,
    internal: spec.internal,
    url: String(maskResource(spec.outbound.url, names).value),
    endpoint: String(maskResource(spec.outbound.endpoint ?? '', names).value),
    ingress_headers: ingress,
    outbound_headers: outbound,
    variables: variables.map((name) => ({ name, state: declared.has(name) ? 'set' : 'unset' })),
    state: ready === 'False' ? 'rejected' : spec.internal ? 'internal' : 'active',
    fields: ready === 'False' ? [{ path: [], state: 'invalid', reason, message, unset: [] }] : [],
    deployed: ready === 'True' ? 'live' : ready === 'False' ? 'changed' : 'unknown',
    caller_headers: ingress.flatMap(({ name, values }) =>
      values.map((value) => {
        const [variable = null] = referencedNames(value)
        const isOpen = variable === null && value !== 'regex:.+' && !value.includes(MASKED)
        return { name, value: isOpen ? value : null, variable }
      }),
    ),
  }
}

function textOf(shown: unknown, name: string): string {
  const { headers }: { readonly headers?: Readonly<Record<string, readonly unknown[]>> } = Object(shown)
  return String(headers?.[name]?.[0] ?? '')
}
