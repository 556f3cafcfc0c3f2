import { hostname } from 'node:os'
import type { Candidacy } from './join-election.ts'

export type CandidateEnvironment = {
  readonly POD_NAME?: string
  readonly POD_NAMESPACE?: string
  /** Of the service account that the process runs as. */
  readonly accountNamespace?: string | undefined
}

/** `leaseName`: undefined: one for all operators of a class in a namespace. */
export type CandidateSettings = { readonly gatewayClass: string; readonly leaseName: string | undefined }

/** The default class's has no suffix. */
const LEASE = 'llm-gateway-operator'
/** Where it is installed unless somebody says otherwise. */
export const DEFAULT_NAMESPACE = 'llm-gateway-system'
const DEFAULT_CLASS = 'default'

/**
 * Who we are in the election. In the cluster the pod's name: when its container starts again the one before it has ended, so
 * it takes its lease up at once. Elsewhere a name that no other process has.
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
