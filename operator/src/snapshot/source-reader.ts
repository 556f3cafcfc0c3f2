import { decodeMetadata, type KubeClient, keyOf, type Store, type Stored, TransportError } from '@llm-gateway/kube'
import { createConcurrencyLimit } from '../delivery/concurrency-limit.ts'
import { decodeSource } from '../kube/decode.ts'
import type { Source } from '../model/snapshot.ts'
import { inTurns, type Steps } from '../translate/steps.ts'
import type { WantedSource } from './wanted-sources.ts'

/** The place of a Secret or ConfigMap that a resource refers to. */
export type SourceReference = {
  readonly kind: 'Secret' | 'ConfigMap'
  readonly namespace: string
  readonly name: string
}

export type SourceReader = {
  /**
   * Returns the wanted Secrets and ConfigMaps of a gateway by their keys. Each is read again when its metadata changed
   * or `afresh` is set: a new generation of a Router is translated with values that were read after that generation was
   * seen. Sources that aren't wanted any more are forgotten.
   */
  read(gateway: string, wanted: ReadonlyMap<string, WantedSource>): Promise<ReadonlyMap<string, Source>>
  forget(gateway: string): void
}

/** The most reads at once. Each answer may have 1.5 MiB. */
const AT_ONCE = 32
/** The most reads of one namespace at once for a gateway, so that other namespaces don't wait behind thousands. */
const SHARE = 16

type HeldSource = { readonly source: Source; readonly resourceVersion: string }

export function createSourceReader(client: KubeClient, metadata: ReadonlyMap<string, Store<Stored>>): SourceReader {
  const limit = createConcurrencyLimit(AT_ONCE)
  /** Gateway → the sources that were found for its last snapshot. */
  const held = new Map<string, ReadonlyMap<string, HeldSource>>()

  const versionOf = (place: SourceReference) => metadata.get(place.kind)?.get(keyOf(place))?.metadata.resourceVersion
  return {
    read: async (gateway, wanted) => {
      const before = held.get(gateway) ?? new Map<string, HeldSource>()
      const { sources, kept, unread } = await inTurns(known(wanted, before, versionOf))
      const readInOrder = async (places: readonly UnreadSource[]): Promise<void> => {
        for (let from = 0; from < places.length; from += SHARE) {
          const batch = places.slice(from, from + SHARE)
          const readings = await Promise.all(batch.map(({ place }) => limit(() => readNow(client, place))))
          for (const [index, { source, resourceVersion }] of readings.entries()) {
            const key = batch[index]?.key ?? ''
            sources.set(key, source)
            if (resourceVersion !== undefined) kept.set(key, { source, resourceVersion })
          }
        }
      }
      await Promise.all([...unread.values()].map(readInOrder))
      held.set(gateway, kept)
      return sources
    },
    forget: (gateway) => {
      held.delete(gateway)
    },
  }
}

type UnreadSource = { readonly key: string; readonly place: SourceReference }

/** What is known of the wanted sources without a read. */
type KnownSources = {
  readonly sources: Map<string, Source>
  readonly kept: Map<string, HeldSource>
  /** By namespace. */
  readonly unread: ReadonlyMap<string, readonly UnreadSource[]>
}

function* known(
  wanted: ReadonlyMap<string, WantedSource>,
  before: ReadonlyMap<string, HeldSource>,
  versionOf: (place: SourceReference) => string | undefined,
): Steps<KnownSources> {
  const sources = new Map<string, Source>()
  const kept = new Map<string, HeldSource>()
  const unread = new Map<string, UnreadSource[]>()
  for (const [key, { place, afresh }] of wanted) {
    yield
    const version = versionOf(place)
    const last = before.get(key)
    // A read may be ahead of the watch, so the watch alone doesn't tell that a known source is gone.
    if (!afresh && version === undefined && last === undefined) {
      sources.set(key, MISSING)
    } else if (!afresh && last !== undefined && last.resourceVersion === version) {
      sources.set(key, last.source)
      kept.set(key, last)
    } else {
      const ofNamespace = unread.get(place.namespace) ?? []
      unread.set(place.namespace, ofNamespace)
      ofNamespace.push({ key, place })
    }
  }
  return { sources, kept, unread }
}

const MISSING: Source = { kind: 'missing' }
const FAILED: Source = { kind: 'failed' }

type Reading = { readonly source: Source; readonly resourceVersion: string | undefined }

async function readNow(client: KubeClient, place: SourceReference): Promise<Reading> {
  const nothing = { resourceVersion: undefined }
  try {
    const stored = await client.get(place)
    if (stored === undefined) return { ...nothing, source: MISSING }
    if (stored.kind === 'refused') return { ...nothing, source: FAILED }
    const resourceVersion = decodeMetadata(stored.object)?.metadata.resourceVersion
    return { source: decodeSource(stored.object), resourceVersion }
  } catch (error) {
    if (error instanceof TransportError) return { ...nothing, source: FAILED }
    throw error
  }
}
