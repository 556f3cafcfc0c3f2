import type { Router } from '@llm-gateway/crds'
import type { Snapshot } from '../../model/snapshot.ts'
import { admitsNamespace } from '../admit-namespace.ts'
import type { AcceptedReason } from '../problem.ts'
import type { Steps } from '../steps.ts'
import { HeldPaths } from './held-paths.ts'

/** The verdict whether a Router holds its path (docs/reference/kubernetes.md#paths). */
export type Acceptance = { readonly router: Router; readonly reason: AcceptedReason; readonly message: string }

/** The part of a snapshot that decides which Routers hold their paths. No source is a part of it. */
type AcceptanceScope = Pick<Snapshot, 'gateway' | 'namespaces' | 'routers'>
type Refusal = Pick<Acceptance, 'reason' | 'message'>
type RouterCandidate = {
  readonly path: string
  readonly namespace: string
  readonly snapshot: AcceptanceScope
  readonly held: HeldPaths
}
type Rule = (candidate: RouterCandidate) => Refusal | undefined

/** The first rule that refuses decides. The last rule takes the path. */
const RULES: readonly Rule[] = [hasPath, comesFromAdmittedNamespace, isNotReserved, isOfItsNamespace, isFree]

/**
 * Judges all Routers of a gateway, the older first, a Router in each step. References play no part, so that a Router
 * with unresolved references keeps its path.
 */
export function* acceptRouters(snapshot: AcceptanceScope): Steps<readonly Acceptance[]> {
  const held = new HeldPaths(snapshot.gateway.metadata.namespace)
  const acceptances: Acceptance[] = []
  for (const router of snapshot.routers.toSorted(byAge)) {
    acceptances.push(acceptRouter(router, { snapshot, held }))
    yield
  }
  return acceptances
}

function acceptRouter(router: Router, around: Pick<RouterCandidate, 'snapshot' | 'held'>): Acceptance {
  const candidate = { path: router.spec.path, namespace: router.metadata.namespace, ...around }
  for (const rule of RULES) {
    const refusal = rule(candidate)
    if (refusal !== undefined) return { router, ...refusal }
  }
  return { router, reason: 'Accepted', message: 'The gateway takes this Router, and the path is its own.' }
}

/** A Router that can't be decoded may lack even its path. */
function hasPath({ path }: RouterCandidate): Refusal | undefined {
  return path === '' ? { reason: 'Unreadable', message: 'The path of this Router can not be read.' } : undefined
}

function comesFromAdmittedNamespace({ namespace, snapshot }: RouterCandidate): Refusal | undefined {
  const { gateway, namespaces } = snapshot
  const own = gateway.metadata.namespace
  if (admitsNamespace(gateway.spec.allowedRouters.namespaces, namespace, { own, labels: namespaces })) return undefined
  const of = `LLMGateway ${own}/${gateway.metadata.name}`
  return {
    reason: 'NotAllowedByGateway',
    message: `allowedRouters.namespaces of ${of} does not admit the namespace ${namespace}.`,
  }
}

/** `/` would take every path without a holder; /echo/ and /mock/ are the gateway's own. */
function isNotReserved({ path }: RouterCandidate): Refusal | undefined {
  if (path !== '/' && !/^\/(echo|mock)\//.test(path)) return undefined
  return {
    reason: 'PathReserved',
    message: `The path ${path} is reserved: /, /echo/ and /mock/ belong to the gateway.`,
  }
}

function isOfItsNamespace({ path, namespace, snapshot: { gateway } }: RouterCandidate): Refusal | undefined {
  const isExempt = namespace === gateway.metadata.namespace || gateway.spec.allowedRouters.paths === 'Any'
  if (isExempt || path.startsWith(`/${namespace}/`)) return undefined
  return { reason: 'PathNotAllowed', message: `Paths of Routers in namespace ${namespace} begin with /${namespace}/.` }
}

function isFree({ path, namespace, held }: RouterCandidate): Refusal | undefined {
  const conflict = held.hold(path, namespace)
  return conflict === undefined ? undefined : { reason: 'PathConflict', message: `An older Router holds ${conflict}.` }
}

/** Compares creationTimestamps, which have whole seconds, then names. */
function byAge({ metadata: a }: Router, { metadata: b }: Router): number {
  return (
    compare(a.creationTimestamp, b.creationTimestamp) || compare(a.namespace, b.namespace) || compare(a.name, b.name)
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
