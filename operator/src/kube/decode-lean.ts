import type { ObjectMeta } from '@llm-gateway/crds'
import { decodeMetadata, type Stored } from '@llm-gateway/kube'
import { OWN_ANNOTATIONS, OWN_LABELS } from '../model/kube-object.ts'

/**
 * The most characters of a kept text. The names of images are the longest, and the API server bounds neither them nor
 * the uid of an owner.
 */
export const MOST_TEXT = 1_024
/** The most characters of a namespace's labels. A selector may name any of them, so they are kept all or none. */
export const MOST_NAMESPACE_LABELS = 16_384

type Texts = Readonly<Record<string, string>>

/** The labels or annotations of every stored object that keeps none of its own: one shared object. */
const NOTHING = {}
const NO_OWNERS: ObjectMeta['ownerReferences'] = []

/**
 * Decodes an object's metadata with the labels and annotations of this operator and with the owner that controls the
 * object. The rest may have a megabyte, and the caches hold all Secrets and ConfigMaps of the cluster.
 */
export function decodeLean(object: unknown): Stored | undefined {
  const stored = decodeMetadata(object)
  if (stored === undefined) return undefined
  const { labels, annotations, ownerReferences } = stored.metadata
  const owner = ownerReferences.find(({ controller }) => controller)
  return {
    metadata: {
      ...stored.metadata,
      labels: named(labels, OWN_LABELS),
      annotations: named(annotations, OWN_ANNOTATIONS),
      ownerReferences: owner === undefined || owner.uid.length > MOST_TEXT ? NO_OWNERS : [owner],
    },
  }
}

/**
 * Decodes a namespace with its labels and nothing else. A namespace with too many labels is marked as unreadable: half
 * of its labels could match a selector that all of them don't match.
 */
export function decodeNamespace(object: unknown): Stored | undefined {
  const stored = decodeMetadata(object)
  if (stored === undefined) return undefined
  const { labels, generation } = stored.metadata
  const metadata = { ...stored.metadata, annotations: NOTHING, ownerReferences: NO_OWNERS }
  const characters = Object.entries(labels).reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (characters <= MOST_NAMESPACE_LABELS) return { metadata }
  return { metadata: { ...metadata, labels: NOTHING }, unreadable: { isKept: false, generation } }
}

function named(texts: Texts, names: readonly string[]): ObjectMeta['labels'] {
  const kept = names.flatMap((name): [string, string][] => {
    const text = Object.hasOwn(texts, name) ? texts[name] : undefined
    return text === undefined || text.length > MOST_TEXT ? [] : [[name, text]]
  })
  return kept.length === 0 ? NOTHING : Object.fromEntries(kept)
}
