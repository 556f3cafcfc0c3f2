import { decodeMetadata, type KubeClient, keyOf, type Store, type Stored, TransportError } from '@llm-gateway/kube'
import { createConcurrencyLimit } from '../delivery/concurrency-limit.ts'
import { decodeKeys, TOO_LONG } from '../kube/decode.ts'
import type { Source } from '../model/snapshot.ts'
import { inTurns, type Steps } from '../translate/steps.ts'
import type { SourceReference, WantedSource } from './wanted-sources.ts'

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

/**
 * The most characters of a namespace's texts, for all gateways together. Texts beyond it count as too long. The values
 * of a gateway's Routers have to fit into one Secret of 1 MiB.
 */
export const MOST_CHARACTERS = 16 * 1024 * 1024

type HeldSource = {
  readonly source: Source
  readonly resourceVersion: string
  /** The keys that were asked for, each with the most characters of its text. */
  readonly keys: ReadonlyMap<string, number>
  readonly characters: number
  /** True: its namespace had no room for its texts, so these count as too long. */
  readonly crowdedOut?: boolean
}

export function createSourceReader(client: KubeClient, metadata: ReadonlyMap<string, Store<Stored>>): SourceReader {
  const limit = createConcurrencyLimit(AT_ONCE)
  /** Gateway → the sources that were found for its last snapshot. */
  const held = new Map<string, HeldSources>()

  const versionOf = (place: SourceReference) => metadata.get(place.kind)?.get(keyOf(place))?.metadata.resourceVersion
  const hasRoom = (namespace: string, characters: number): boolean => {
    const used = [...held.values()].reduce((sum, one) => sum + one.charactersOf(namespace), 0)
    return used + characters <= MOST_CHARACTERS
  }
  return {
    read: async (gateway, wanted) => {
      const before = held.get(gateway)
      const { sources, kept, unread } = await inTurns(known(wanted, before, versionOf))
      held.set(gateway, kept)
      const keep = ({ key, place: { namespace } }: UnreadSource, one: HeldSource): void => {
        const isFull = one.crowdedOut !== true && !hasRoom(namespace, one.characters)
        const taken = isFull ? crowdedOut(one) : one
        sources.set(key, taken.source)
        kept.set(key, namespace, taken)
      }
      const readInOrder = async (all: readonly UnreadSource[]): Promise<void> => {
        for (let from = 0; from < all.length; from += SHARE) {
          const batch = all.slice(from, from + SHARE)
          const readings = await Promise.all(
            batch.map(({ place, keys, crowded }) =>
              crowded !== undefined && !hasRoom(place.namespace, crowded.characters)
                ? crowded
                : limit(() => readNow(client, { place, keys })),
            ),
          )
          for (const [index, one] of batch.entries()) {
            const reading = readings[index] ?? FAILED
            if ('source' in reading) keep(one, reading)
            else sources.set(one.key, reading)
          }
        }
      }
      await Promise.all([...unread.values()].map(readInOrder))
      return sources
    },
    forget: (gateway) => {
      held.delete(gateway)
    },
  }
}

/** The sources that are kept for a gateway, with the characters of their texts. */
class HeldSources {
  readonly #sources = new Map<string, HeldSource>()
  /** Namespace → the characters of the texts that are in memory. */
  readonly #characters = new Map<string, number>()

  get(key: string): HeldSource | undefined {
    return this.#sources.get(key)
  }

  charactersOf(namespace: string): number {
    return this.#characters.get(namespace) ?? 0
  }

  /** Keeps a source that isn't kept yet. */
  set(key: string, namespace: string, one: HeldSource): void {
    this.#sources.set(key, one)
    if (one.crowdedOut === true) return
    this.#characters.set(namespace, this.charactersOf(namespace) + one.characters)
  }
}

function crowdedOut(one: HeldSource): HeldSource {
  const { source } = one
  if (source.kind !== 'found') return one
  const values = new Map([...source.values.keys()].map((key) => [key, TOO_LONG]))
  return { ...one, source: { ...source, values }, crowdedOut: true }
}

type UnreadSource = {
  readonly key: string
  readonly place: SourceReference
  readonly keys: ReadonlyMap<string, number>
  /** Its last reading, if only room is missing: it is read again once there is room. */
  readonly crowded: HeldSource | undefined
}

/** What is known of the wanted sources without a read. */
type KnownSources = {
  readonly sources: Map<string, Source>
  readonly kept: HeldSources
  /** By namespace. */
  readonly unread: ReadonlyMap<string, readonly UnreadSource[]>
}

function* known(
  wanted: ReadonlyMap<string, WantedSource>,
  before: HeldSources | undefined,
  versionOf: (place: SourceReference) => string | undefined,
): Steps<KnownSources> {
  const sources = new Map<string, Source>()
  const kept = new HeldSources()
  const unread = new Map<string, UnreadSource[]>()
  for (const [key, { place, afresh, keys }] of wanted) {
    yield
    const version = versionOf(place)
    const last = before?.get(key)
    const stands = !afresh && last !== undefined && last.resourceVersion === version && hasAll(last.keys, keys)
    // A read may be ahead of the watch, so the watch alone doesn't tell that a known source is gone.
    if (!afresh && version === undefined && last === undefined) {
      sources.set(key, MISSING)
    } else if (stands && last.crowdedOut !== true) {
      sources.set(key, last.source)
      kept.set(key, place.namespace, last)
    } else {
      const ofNamespace = unread.get(place.namespace) ?? []
      unread.set(place.namespace, ofNamespace)
      ofNamespace.push({ key, place, keys: withLast(keys, last?.keys), crowded: stands ? last : undefined })
    }
  }
  return { sources, kept, unread }
}

function hasAll(keys: ReadonlyMap<string, number>, wanted: ReadonlyMap<string, number>): boolean {
  for (const [key, most] of wanted) if ((keys.get(key) ?? -1) < most) return false
  return true
}

const SPARE_KEYS = 16

/**
 * Adds the keys that were asked for last, as long as they aren't many more: where a source loses a key, all entries that
 * use it are made again.
 */
function withLast(
  wanted: ReadonlyMap<string, number>,
  last: ReadonlyMap<string, number> = new Map(),
): ReadonlyMap<string, number> {
  if (last.size > 2 * wanted.size + SPARE_KEYS) return wanted
  return new Map([...last, ...wanted])
}

const MISSING: Source = { kind: 'missing' }
const FAILED: Source = { kind: 'failed' }

/** Returns a source without a version where it wasn't found. */
async function readNow(
  client: KubeClient,
  { place, keys }: Pick<UnreadSource, 'place' | 'keys'>,
): Promise<HeldSource | Source> {
  try {
    const stored = await client.get(place)
    if (stored === undefined) return MISSING
    if (stored.kind === 'refused') return FAILED
    const source = decodeKeys(stored.object, keys)
    const resourceVersion = decodeMetadata(stored.object)?.metadata.resourceVersion
    return resourceVersion === undefined ? source : { source, resourceVersion, keys, characters: charactersIn(source) }
  } catch (error) {
    if (error instanceof TransportError) return FAILED
    throw error
  }
}

function charactersIn(source: Source): number {
  if (source.kind !== 'found') return 0
  return [...source.values.values()].reduce((sum, text) => sum + (text === TOO_LONG ? 0 : text.length), 0)
}
