import type { EnvEntry, Router, SharedEnvEntry } from '@llm-gateway/crds'
import type { Snapshot } from '../../model/snapshot.ts'
import { admitsNamespace } from '../admit-namespace.ts'
import { type KeySource, keySourceOf } from './read-key.ts'

/** The meaning of a NAME to a Router (docs/reference/kubernetes.md#variables). */
export type Variable =
  | { readonly kind: 'literal'; readonly text: string; readonly shared: boolean }
  | {
      readonly kind: 'key'
      readonly key: KeySource
      /** True for a variable of the gateway's `sharedEnv`. Messages to other namespaces don't name its Secret. */
      readonly shared: boolean
      /** For a shared secret, the only hosts to which it may be sent, in outbound.headers only. */
      readonly hosts: readonly string[] | undefined
    }
  | { readonly kind: 'not permitted'; readonly why: string }
  | { readonly kind: 'not found' }

/** The part of a snapshot that decides the meaning of a NAME. */
type VariableScope = Pick<Snapshot, 'gateway' | 'namespaces'>
type Finder = (name: string, router: Router, snapshot: VariableScope) => Variable | undefined

/** The first finder that answers decides. None searches the process environment. */
const FINDERS: readonly Finder[] = [findReserved, findOwn, findShared, findSharedWithOthers, findOfProcess]

export function findVariable(name: string, router: Router, snapshot: VariableScope): Variable {
  for (const find of FINDERS) {
    const found = find(name, router, snapshot)
    if (found !== undefined) return found
  }
  return { kind: 'not found' }
}

const RESERVED = /^(NATS_TOKEN|GUI_SECRET|SECRETS_DIR|V_.*)$/

function findReserved(name: string): Variable | undefined {
  return RESERVED.test(name) ? { kind: 'not permitted', why: 'is reserved' } : undefined
}

function findOwn(name: string, { metadata, spec }: Router): Variable | undefined {
  const entry = spec.env?.find((variable) => variable.name === name)
  if (entry === undefined) return undefined
  const key = keySourceOf(entry, metadata.namespace)
  return key === undefined ? literalOf(entry, false) : { kind: 'key', key, shared: false, hosts: undefined }
}

function findShared(name: string, { metadata }: Router, { gateway, namespaces }: VariableScope): Variable | undefined {
  const own = gateway.metadata.namespace
  const entry = sharedEntries(name, { gateway }).find((variable) =>
    admitsNamespace(variable.namespaces, metadata.namespace, { own, labels: namespaces }),
  )
  if (entry === undefined) return undefined
  const key = keySourceOf(entry, own)
  if (key === undefined) return literalOf(entry, true)
  return { kind: 'key', key, shared: true, hosts: key.kind === 'Secret' ? (entry.hosts ?? []) : undefined }
}

function findSharedWithOthers(name: string, { metadata }: Router, snapshot: VariableScope): Variable | undefined {
  if (sharedEntries(name, snapshot).length === 0) return undefined
  return { kind: 'not permitted', why: `is not shared with namespace ${metadata.namespace}` }
}

function findOfProcess(name: string, _: Router, { gateway }: VariableScope): Variable | undefined {
  const isOfProcess = gateway.spec.env?.some((entry) => entry.name === name) === true
  return isOfProcess ? { kind: 'not permitted', why: "is for the gateway's process only" } : undefined
}

function sharedEntries(name: string, { gateway }: Pick<Snapshot, 'gateway'>): readonly SharedEnvEntry[] {
  return (gateway.spec.sharedEnv ?? []).filter((entry) => entry.name === name)
}

function literalOf({ value = '' }: EnvEntry, shared: boolean): Variable {
  return { kind: 'literal', text: value, shared }
}
