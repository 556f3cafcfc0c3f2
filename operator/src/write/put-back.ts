import type { V1ObjectMeta } from '@kubernetes/client-node'
import {
  isObject,
  type KubeClient,
  listAt,
  type ObjectReference,
  textAt,
  valueAt,
  type WriteOutcome,
} from '@llm-gateway/kube'
import type { KubeObject } from '../model/kube-object.ts'
import type { JsonOf, OwnedMetadata } from '../model/manifest.ts'
import { FIELD_MANAGER } from '../model/names.ts'

/**
 * Writes an object over others' changes, where both together are invalid: a `value` beside our `valueFrom`. Lists are
 * replaced, so others' items in them are lost. Afterwards no field is owned by a plain update, since an apply would
 * never remove such a field.
 */
export async function putBack(client: KubeClient, place: ObjectReference, object: KubeObject): Promise<WriteOutcome> {
  const { apiVersion: _, kind: __, metadata, ...content } = object
  const replaced = await client.merge(place, { metadata: withoutOwners(metadata), ...content })
  if (replaced.kind === 'refused') return replaced
  const applied = await client.apply(place, object)
  if (applied.kind === 'refused') return applied
  const managedFields = listAt(applied.object, 'metadata', 'managedFields').filter((entry) => !isOurUpdate(entry))
  const resourceVersion = textAt(applied.object, 'metadata', 'resourceVersion')
  return client.merge(place, { metadata: { resourceVersion, managedFields } })
}

function isOurUpdate(entry: unknown): boolean {
  const isUpdate = isObject(entry) && entry.operation === 'Update' && valueAt(entry, 'subresource') === undefined
  return isUpdate && entry.manager === FIELD_MANAGER
}

function withoutOwners({ ownerReferences: _, ...metadata }: OwnedMetadata): JsonOf<V1ObjectMeta> {
  return metadata
}
