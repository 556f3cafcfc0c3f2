import { type ObjectMeta, PAUSED_ANNOTATION } from '@llm-gateway/crds'

const NOTHING = {}
const NO_OWNERS: ObjectMeta['ownerReferences'] = []
const PAUSED = { [PAUSED_ANNOTATION]: 'true' }

/**
 * Returns a resource's metadata without labels, owners and annotations, of which only the pause is read. They may have a
 * megabyte, and the operator keeps all resources of the cluster.
 */
export function leanMetadata(metadata: ObjectMeta): ObjectMeta {
  const isPaused = metadata.annotations[PAUSED_ANNOTATION] === 'true'
  return { ...metadata, labels: NOTHING, annotations: isPaused ? PAUSED : NOTHING, ownerReferences: NO_OWNERS }
}
