import { hostname } from 'node:os'
import type { Candidacy } from './join-election.ts'

export type CandidateEnvironment = { readonly POD_NAME?: string; readonly POD_NAMESPACE?: string }

/** One lease for all operators of a cluster. */
const LEASE = 'llm-gateway-operator'
const NAMESPACE = 'llm-gateway-system'

/**
 * Who we are in the election. In the cluster the pod's name: when its container starts again the one before it has ended, so
 * it takes its lease up at once. Elsewhere a name that no other process has.
 */
export function candidate({ POD_NAME = '', POD_NAMESPACE = '' }: CandidateEnvironment, random: string) {
  const identity = POD_NAME === '' ? `${hostname()}_${random}` : POD_NAME
  const namespace = POD_NAMESPACE === '' ? NAMESPACE : POD_NAMESPACE
  return { identity, lease: { namespace, name: LEASE } } satisfies Omit<Candidacy, 'lost'>
}
