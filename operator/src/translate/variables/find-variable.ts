import type { EnvEntry, Router, SharedEnvEntry } from '@llm-gateway/crds'
import type { Snapshot } from '../../snapshot.ts'
import { admitsNamespace } from '../admit-namespace.ts'
import { type KeySource, keySourceOf } from './read-key.ts'

/** What a NAME means to a Router (kubernetes, 2.1). */
export type Variable =
  | { readonly kind: 'literal'; readonly text: string; readonly shared: boolean }
  | {
      readonly kind: 'key'
      readonly key: KeySource
      /** Of a shared secret: the only hosts it may be sent to, and that in outbound.headers only. */
      readonly hosts: readonly string[] | undefined
    }
  | { readonly kind: 'not permitted' }
  | { readonly kind: 'not found' }

const RESERVED = /^(NATS_TOKEN|GUI_SECRET|SECRETS_DIR|V_.*)$/

/** Looks in the Router's own env, then in the gateway's sharedEnv; never in a process environment. */
export function findVariable(name: string, router: Router, { gateway, namespaces }: Snapshot): Variable {
  if (RESERVED.test(name)) return { kind: 'not permitted' }
  const { namespace } = router.metadata
  const own = router.spec.env?.find((entry) => entry.name === name)
  if (own !== undefined) return ownVariable(own, namespace)
  const gatewayNamespace = gateway.metadata.namespace
  const shared = gateway.spec.sharedEnv?.find((entry) => entry.name === name)
  if (shared !== undefined) {
    const admitted = admitsNamespace(shared.namespaces, namespace, { own: gatewayNamespace, labels: namespaces })
    return admitted ? sharedVariable(shared, gatewayNamespace) : { kind: 'not permitted' }
  }
  const ofProcess = gateway.spec.env?.some((entry) => entry.name === name) ?? false
  return { kind: ofProcess ? 'not permitted' : 'not found' }
}

function ownVariable(entry: EnvEntry, namespace: string): Variable {
  const key = keySourceOf(entry, namespace)
  return key === undefined
    ? { kind: 'literal', text: entry.value ?? '', shared: false }
    : { kind: 'key', key, hosts: undefined }
}

function sharedVariable(entry: SharedEnvEntry, namespace: string): Variable {
  const key = keySourceOf(entry, namespace)
  if (key === undefined) return { kind: 'literal', text: entry.value ?? '', shared: true }
  return { kind: 'key', key, hosts: key.kind === 'Secret' ? (entry.hosts ?? []) : undefined }
}
