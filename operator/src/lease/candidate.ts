import { hostname } from 'node:os'
import type { Candidacy } from './join-election.ts'

export type CandidateEnvironment = {
  readonly POD_NAME?: string
  readonly POD_NAMESPACE?: string
  /** The namespace of the service account under which the process runs. */
  readonly accountNamespace?: string | undefined
}

/** `leaseName` undefined: all operators of a class in a namespace share one Lease. */
export type CandidateSettings = { readonly gatewayClass: string; readonly leaseName: string | undefined }

/** The Lease of the default class; other classes add a suffix. */
const LEASE = 'llm-gateway-operator'
/** The namespace of an installation that names none. */
export const DEFAULT_NAMESPACE = 'llm-gateway-system'
const DEFAULT_CLASS = 'default'

/**
 * Returns this process's identity and Lease. In the cluster the identity is the pod's name: a restarted container's
 * predecessor has ended, so it takes its lease up at once. Elsewhere the identity is unique to the process.
 */
export function candidate(
  { POD_NAME = '', POD_NAMESPACE = '', accountNamespace = DEFAULT_NAMESPACE }: CandidateEnvironment,
  random: string,
  { gatewayClass, leaseName }: CandidateSettings,
) {
  const identity = POD_NAME === '' ? `${hostname()}_${random}` : POD_NAME
  const namespace = POD_NAMESPACE === '' ? accountNamespace : POD_NAMESPACE
  const name = leaseName ?? (gatewayClass === DEFAULT_CLASS ? LEASE : `${LEASE}-${gatewayClass}`)
  return { identity, lease: { namespace, name } } satisfies Omit<Candidacy, 'lost'>
}
