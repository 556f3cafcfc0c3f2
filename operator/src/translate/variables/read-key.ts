import type { EnvEntry, KeyReference, Processor, Router } from '@llm-gateway/crds'
import { type Snapshot, sourceKey } from '../../model/snapshot.ts'

/** The result of reading a key of a Secret or ConfigMap. */
export type KeyReading =
  | { readonly kind: 'value'; readonly text: string }
  | {
      readonly kind: 'problem'
      readonly reason: 'SecretNotFound' | 'ConfigMapNotFound' | 'KeyNotFound' | 'RefNotPermitted' | 'ReadFailed'
      readonly detail: string
    }

export type KeySource = {
  /** The field of the spec with the reference, such as `env NAME` or `bus.tokenSecretRef`. */
  readonly field: string
  readonly namespace: string
  readonly kind: 'Secret' | 'ConfigMap'
  readonly reference: KeyReference
}

/**
 * Returns the key from which an entry takes its value; undefined: the entry holds the value itself. `list` is the field
 * that holds the entry.
 */
export function keySourceOf({ name, valueFrom }: EnvEntry, namespace: string, list = 'env'): KeySource | undefined {
  const field = `${list} ${name}`
  if (valueFrom?.secretKeyRef !== undefined)
    return { field, namespace, kind: 'Secret', reference: valueFrom.secretKeyRef }
  if (valueFrom?.configMapKeyRef !== undefined) {
    return { field, namespace, kind: 'ConfigMap', reference: valueFrom.configMapKeyRef }
  }
  return undefined
}

export function sourceOf({ namespace, kind, reference }: KeySource): string {
  return sourceKey(namespace, kind, reference.name)
}

/** Names the Secret or ConfigMap in a message: `Secret team-a/openai`. */
export function sourceName({ namespace, kind, reference }: KeySource): string {
  return `${kind} ${namespace}/${reference.name}`
}

/**
 * The tokens of service accounts are refused, since a Router's author can't read them either
 * (docs/reference/kubernetes.md#trust).
 */
const TOKEN_TYPE = 'kubernetes.io/service-account-token'

export function readKey(key: KeySource, sources: Snapshot['sources']): KeyReading {
  const { kind, reference } = key
  const name = sourceName(key)
  const source = sources.get(sourceOf(key)) ?? { kind: 'missing' }
  const problem = (reason: Extract<KeyReading, { kind: 'problem' }>['reason'], detail: string): KeyReading => ({
    kind: 'problem',
    reason,
    detail,
  })
  switch (source.kind) {
    case 'missing':
      return problem(`${kind}NotFound`, `${name} does not exist`)
    case 'failed':
    case 'pending':
      return problem('ReadFailed', `${name} could not be read`)
    case 'found': {
      if (source.type === TOKEN_TYPE) return problem('RefNotPermitted', `${name} is the token of a service account`)
      const text = source.values.get(reference.key)
      if (text === undefined) return problem('KeyNotFound', `${name} has no key ${reference.key}`)
      return { kind: 'value', text }
    }
    default:
      return source satisfies never
  }
}

/** Reads keys. Returns the problems, each with the field of the reference. */
export function keyProblems(
  keys: readonly KeySource[],
  sources: Snapshot['sources'],
): readonly Extract<KeyReading, { kind: 'problem' }>[] {
  return keys.flatMap((key) => {
    const reading = readKey(key, sources)
    return reading.kind === 'problem' ? [{ ...reading, detail: `${key.field}: ${reading.detail}` }] : []
  })
}

/** Returns the keys of Secrets and ConfigMaps to which a Processor's pods refer. */
export function processorKeys({ metadata, spec }: Processor): readonly KeySource[] {
  return (spec.env ?? []).flatMap((entry) => keySourceOf(entry, metadata.namespace) ?? [])
}

/**
 * Returns the versions of these Secrets and ConfigMaps. A program reads its environment only at its start, so a rotated
 * key restarts it.
 */
export function processorVersions(processor: Processor, sources: Snapshot['sources']): readonly string[] {
  return processorKeys(processor).map((key) => {
    const source = sources.get(sourceOf(key))
    return source?.kind === 'found' ? (source.version ?? '') : ''
  })
}

/** Returns the keys that a Router itself names. */
export function routerSources({ metadata, spec }: Router): readonly KeySource[] {
  return (spec.env ?? []).flatMap((entry) => keySourceOf(entry, metadata.namespace) ?? [])
}
