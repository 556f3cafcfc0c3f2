import { isObject } from '@llm-gateway/kube'
import type { KubeObject } from '../../model/kube-object.ts'
import type { Manifest } from '../../model/manifest.ts'
import { canonicalQuantity } from './quantity.ts'

/**
 * Returns an object in the form in which the API server will give it back: no undefined fields, and in a pod template
 * canonical quantities and no empty fields. An object that differs only in form would be written again at each start.
 */
export function asStored(manifest: Manifest): KubeObject {
  const object: KubeObject = manifest
  if (!isObject(object.spec)) return object
  const fields = Object.entries(object.spec)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, key === 'template' ? withoutEmpty(value) : value] as const)
  return { ...object, spec: Object.fromEntries(fields) }
}

function withoutEmpty(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutEmpty)
  if (!isObject(node)) return node
  const members = Object.entries(node).map(([key, value]) => [key, formOf(key, value)] as const)
  return Object.fromEntries(members.filter(([, value]) => !isEmpty(value)))
}

/** Maps of texts. An empty text has a meaning there: `node-role.kubernetes.io/gpu: ""`. */
const TEXTS = new Set(['labels', 'annotations', 'matchLabels', 'nodeSelector'])

function formOf(key: string, value: unknown): unknown {
  if (TEXTS.has(key)) return value
  if (key === 'sizeLimit') return quantityOf(value)
  if (key === 'limits' || key === 'requests') return mapped(value, quantityOf)
  return withoutEmpty(value)
}

function quantityOf(value: unknown): unknown {
  return typeof value === 'string' ? canonicalQuantity(value) : value
}

function mapped(value: unknown, change: (value: unknown) => unknown): unknown {
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member)]))
    : value
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && Object.keys(value).length === 0
}
