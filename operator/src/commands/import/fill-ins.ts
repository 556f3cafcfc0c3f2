import { isObject, listAt, textAt, valueAt } from '@llm-gateway/kube'
import type { Resource } from './import-part.ts'

/** A Secret or ConfigMap that resources refer to and that people have to fill. */
export type FillIn = { readonly kind: 'Secret' | 'ConfigMap'; readonly name: string; readonly keys: readonly string[] }

/** Returns the Secrets and ConfigMaps that the resources of an import refer to. */
export function fillInsOf(resources: readonly Resource[]): readonly FillIn[] {
  const found = new Map<string, { readonly kind: FillIn['kind']; readonly name: string; readonly keys: Set<string> }>()
  const add = (kind: FillIn['kind'], reference: unknown): void => {
    const name = textAt(reference, 'name') ?? ''
    const one = found.get(`${kind} ${name}`) ?? { kind, name, keys: new Set() }
    one.keys.add(textAt(reference, 'key') ?? '')
    found.set(`${kind} ${name}`, one)
  }
  for (const { spec } of resources) {
    for (const entry of listAt(spec, 'env')) {
      if (isObject(valueAt(entry, 'valueFrom'))) add('Secret', valueAt(entry, 'valueFrom', 'secretKeyRef'))
    }
    if (isObject(valueAt(spec, 'bus', 'tokenSecretRef'))) add('Secret', valueAt(spec, 'bus', 'tokenSecretRef'))
    const certificate = textAt(spec, 'tls', 'ingress', 'secretRef', 'name')
    for (const key of certificate === undefined ? [] : ['tls.crt', 'tls.key']) add('Secret', { name: certificate, key })
    for (const reference of listAt(spec, 'tls', 'outbound', 'caRefs')) add('ConfigMap', reference)
  }
  return [...found.values()].map(({ kind, name, keys }) => ({ kind, name, keys: [...keys].sort() }))
}

/**
 * Makes the resource of a fill-in. `valueFor` gives the texts: empty texts, or placeholders to check the other
 * resources with.
 */
export function sourceResource(
  { kind, name, keys }: FillIn,
  namespace: string,
  valueFor: (key: string) => string,
): Resource {
  const entries = Object.fromEntries(keys.map((key) => [key, valueFor(key)]))
  const metadata = { name, namespace }
  if (kind === 'ConfigMap') return { apiVersion: 'v1', kind, metadata, data: entries }
  const type = keys.includes('tls.key') ? { type: 'kubernetes.io/tls' } : {}
  return { apiVersion: 'v1', kind, metadata, ...type, stringData: entries }
}
