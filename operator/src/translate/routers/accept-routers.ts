import type { Router } from '@llm-gateway/crds'
import type { Snapshot } from '../../snapshot.ts'
import { admitsNamespace } from '../admit-namespace.ts'
import type { AcceptedReason } from '../problem.ts'
import { HeldPaths } from './held-paths.ts'

/** Whether a Router has its path (kubernetes, 2.2). */
export type Acceptance = { readonly router: Router; readonly reason: AcceptedReason; readonly message: string }

const ECHO_OR_MOCK = /^\/(echo|mock)\//

/** Judges all Routers of a gateway, the older first; references play no part, so an unresolved holder keeps its path. */
export function acceptRouters(snapshot: Snapshot): readonly Acceptance[] {
  const held = new HeldPaths(snapshot.gateway.metadata.namespace)
  return [...snapshot.routers].sort(byAge).map((router) => accept(router, snapshot, held))
}

function accept(router: Router, { gateway, namespaces }: Snapshot, held: HeldPaths): Acceptance {
  const { namespace } = router.metadata
  const { path } = router.spec
  const own = gateway.metadata.namespace
  const { allowedRouters } = gateway.spec
  const verdict = (reason: AcceptedReason, message: string): Acceptance => ({ router, reason, message })
  if (!admitsNamespace(allowedRouters.namespaces, namespace, { own, labels: namespaces })) {
    return verdict('NotAllowedByGateway', `The gateway takes no Routers of namespace ${namespace}.`)
  }
  if (path === '/' || ECHO_OR_MOCK.test(path)) return verdict('PathReserved', `The path ${path} is reserved.`)
  if (namespace !== own && allowedRouters.paths === 'NamespacePrefix' && !path.startsWith(`/${namespace}/`)) {
    return verdict('PathNotAllowed', `Routers of namespace ${namespace} get /${namespace}/ and below.`)
  }
  const conflict = held.hold(path, namespace)
  if (conflict !== undefined) return verdict('PathConflict', `An older Router holds ${conflict}.`)
  return verdict('Accepted', 'The gateway serves this path.')
}

/** creationTimestamp has whole seconds, so names decide where it doesn't. */
function byAge({ metadata: a }: Router, { metadata: b }: Router): number {
  return (
    compare(a.creationTimestamp, b.creationTimestamp) || compare(a.namespace, b.namespace) || compare(a.name, b.name)
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
