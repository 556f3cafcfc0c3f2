/** A request to the API server. */
export type ApiCall = {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'other'
  /** The plural name; empty outside the API's groups. */
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly path: string
  readonly userAgent: string
}

const WRITES: ReadonlyMap<string, ApiCall['verb']> = new Map([
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
])

/** Reads method and URL as the API server does. */
export function parseApiCall(method: string, target: string, userAgent: string): ApiCall {
  const url = new URL(target, 'https://api.example')
  const [, group = '', ...rest] = url.pathname.split('/').map(decodeURIComponent)
  const inGroup = group === 'api' ? rest.slice(1) : group === 'apis' ? rest.slice(2) : []
  const isNamespaced = inGroup[0] === 'namespaces' && inGroup.length > 2
  const namespace = isNamespaced ? (inGroup[1] ?? '') : ''
  const [resource = '', name = '', subresource = ''] = isNamespaced ? inGroup.slice(2) : inGroup
  const read = url.searchParams.has('watch') ? 'watch' : name === '' ? 'list' : 'get'
  // A dry run writes nothing.
  const verb =
    resource === '' || url.searchParams.has('dryRun')
      ? 'other'
      : method === 'GET'
        ? read
        : (WRITES.get(method) ?? 'other')
  return { verb, resource, subresource, namespace, name, path: url.pathname, userAgent }
}

/** Returns whether a call is a step of a reconciliation. Renewed Leases, Events and SelfSubjectReviews are not. */
export function isWrite({ verb, resource }: ApiCall): boolean {
  if (['leases', 'events', 'selfsubjectreviews'].includes(resource)) return false
  return verb === 'create' || verb === 'update' || verb === 'patch' || verb === 'delete'
}

/** Describes a call, for example `patch routers a status`. */
export function describeCall({ verb, resource, name, subresource }: ApiCall): string {
  return [verb, resource, name, subresource].filter((part) => part !== '').join(' ')
}
