import { isObject, valueAt } from '@llm-gateway/kube'
import { decodeSource } from '../../kube/decode.ts'
import type { Source } from '../../model/snapshot.ts'

/** A Secret or ConfigMap as people write it, what the API server would make of `stringData` included. */
export function decodeSourceFile(kind: 'Secret' | 'ConfigMap', object: unknown): Source {
  const written = valueAt(object, 'stringData')
  if (kind === 'ConfigMap' || !isObject(object) || !isObject(written)) return decodeSource(object)
  const data = valueAt(object, 'data')
  const encoded = Object.entries(written).map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')])
  return decodeSource({ ...object, data: { ...(isObject(data) ? data : {}), ...Object.fromEntries(encoded) } })
}
