import { decodeMetadata, type KubeClient, keyOf, type Store, type Stored, TransportError } from '@llm-gateway/kube'
import { decodeSource } from '../kube/decode.ts'
import { type Source, sourceKey } from '../model/snapshot.ts'

/** The place of a Secret or ConfigMap that a resource refers to. */
export type SourceReference = {
  readonly kind: 'Secret' | 'ConfigMap'
  readonly namespace: string
  readonly name: string
}

export type SourceReader = {
  /**
   * Reads a Secret or ConfigMap again when its metadata changed or `afresh` is set. A new generation of a Router is
   * translated with values that were read after that generation was seen.
   */
  read(place: SourceReference, afresh: boolean): Promise<Source>
  /** Drops cached sources whose keys aren't listed. */
  keepOnly(keys: ReadonlySet<string>): void
}

export function createSourceReader(client: KubeClient, metadata: ReadonlyMap<string, Store<Stored>>): SourceReader {
  const cache = new Map<string, { readonly resourceVersion: string; readonly source: Source }>()
  return {
    read: async (place, afresh) => {
      const key = sourceKey(place.namespace, place.kind, place.name)
      const seen = metadata.get(place.kind)?.get(keyOf(place))
      if (!afresh) {
        const cached = cache.get(key)
        // A read may be ahead of the watch, so the watch alone doesn't tell that a known source is gone.
        if (seen === undefined && cached === undefined) return { kind: 'missing' }
        if (seen !== undefined && cached?.resourceVersion === seen.metadata.resourceVersion) return cached.source
      }
      const { source, resourceVersion } = await readNow(client, place)
      if (resourceVersion === undefined) cache.delete(key)
      else cache.set(key, { source, resourceVersion })
      return source
    },
    keepOnly: (keys) => {
      for (const key of cache.keys()) if (!keys.has(key)) cache.delete(key)
    },
  }
}

type Reading = { readonly source: Source; readonly resourceVersion: string | undefined }

async function readNow(client: KubeClient, place: SourceReference): Promise<Reading> {
  const nothing = { resourceVersion: undefined }
  try {
    const stored = await client.get(place)
    if (stored === undefined) return { ...nothing, source: { kind: 'missing' } }
    if (stored.kind === 'refused') return { ...nothing, source: { kind: 'failed' } }
    const resourceVersion = decodeMetadata(stored.object)?.metadata.resourceVersion
    return { source: decodeSource(stored.object), resourceVersion }
  } catch (error) {
    if (error instanceof TransportError) return { ...nothing, source: { kind: 'failed' } }
    throw error
  }
}
