import type { EnvEntry, KeyReference, Processor, Router } from '@llm-gateway/crds'
import { type Snapshot, sourceKey } from '../../model/snapshot.ts'

/** What a reference to a key of a Secret or ConfigMap gives. */
export type KeyReading =
  | { readonly kind: 'value'; readonly text: string }
  | {
      readonly kind: 'problem'
      readonly reason: 'SecretNotFound' | 'ConfigMapNotFound' | 'KeyNotFound' | 'RefNotPermitted' | 'ReadFailed'
      readonly detail: string
    }

export type KeySource = {
  readonly namespace: string
  readonly kind: 'Secret' | 'ConfigMap'
  readonly reference: KeyReference
}

/** Where an entry reads its value; undefined: it has the value itself. */
export function keySourceOf({ valueFrom }: EnvEntry, namespace: string): KeySource | undefined {
  if (valueFrom?.secretKeyRef !== undefined) return { namespace, kind: 'Secret', reference: valueFrom.secretKeyRef }
  if (valueFrom?.configMapKeyRef !== undefined) {
    return { namespace, kind: 'ConfigMap', reference: valueFrom.configMapKeyRef }
  }
  return undefined
}

export function sourceOf({ namespace, kind, reference }: KeySource): string {
  return sourceKey(namespace, kind, reference.name)
}

/**
 * The tokens of service accounts are refused, since a Router's author can't read them either
 * (docs/reference/kubernetes.md#trust).
 */
const TOKEN_TYPE = 'kubernetes.io/service-account-token'

export function readKey(key: KeySource, sources: Snapshot['sources']): KeyReading {
  const { kind, reference } = key
  const source = sources.get(sourceOf(key)) ?? { kind: 'missing' }
  const problem = (reason: Extract<KeyReading, { kind: 'problem' }>['reason'], detail: string): KeyReading => ({
    kind: 'problem',
    reason,
    detail,
  })
  switch (source.kind) {
    case 'missing':
      return problem(`${kind}NotFound`, `${kind} ${reference.name} does not exist`)
    case 'failed':
      return problem('ReadFailed', `${kind} ${reference.name} could not be read`)
    case 'found': {
      if (source.type === TOKEN_TYPE)
        return problem('RefNotPermitted', `Secret ${reference.name} is a service account's`)
      const text = source.values.get(reference.key)
      if (text === undefined) return problem('KeyNotFound', `${kind} ${reference.name} has no key ${reference.key}`)
      return { kind: 'value', text }
    }
    default:
      return source satisfies never
  }
}

/** The keys of Secrets and ConfigMaps that a Processor's pods refer to. */
export function processorKeys({ metadata, spec }: Processor): readonly KeySource[] {
  return (spec.env ?? []).flatMap((entry) => keySourceOf(entry, metadata.namespace) ?? [])
}

/** Versions of what they refer to: a program reads its environment at its start only, so that a rotated key starts it anew. */
export function processorVersions(processor: Processor, sources: Snapshot['sources']): readonly string[] {
  return processorKeys(processor).map((key) => {
    const source = sources.get(sourceOf(key))
    return source?.kind === 'found' ? (source.version ?? '') : ''
  })
}

/** Those that a Router names itself. */
export function routerSources({ metadata, spec }: Router): readonly KeySource[] {
  return (spec.env ?? []).flatMap((entry) => keySourceOf(entry, metadata.namespace) ?? [])
}
