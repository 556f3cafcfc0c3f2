import { decodeMetadata, type KubeClient, keyOf, type Store, type Stored, TransportError } from '@llm-gateway/kube'
import { createConcurrencyLimit } from '../delivery/concurrency-limit.ts'
import { decodeKeys } from '../kube/decode.ts'
import type { Source } from '../model/snapshot.ts'
import { inTurns, type Steps } from '../translate/steps.ts'
import { crowdedOut, cutTo, type HeldSource, HeldSources, heldSource } from './held-sources.ts'
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
/**
 * The most reads of one namespace at once for a gateway, so that the reads of others don't wait behind thousands. The
 * gateway's own pass waits for all of them: 32,768 take 10 to 20 s. They are held then, and only changes are read.
 */
const SHARE = 16

/**
 * The most characters of a namespace's keys and texts, for all gateways together. Texts beyond it count as too long, but
 * not those that a gateway itself names. The values of a gateway's Routers have to fit into one Secret of 1 MiB.
 */
export const MOST_CHARACTERS = 16 * 1024 * 1024

export function createSourceReader(client: KubeClient, metadata: ReadonlyMap<string, Store<Stored>>): SourceReader {
  const limit = createConcurrencyLimit(AT_ONCE)
  /** Gateway → the sources that were found for its last snapshot. */
  const held = new Map<string, HeldSources>()

  const versionOf = (place: SourceReference) => metadata.get(place.kind)?.get(keyOf(place))?.metadata.resourceVersion
  /** Returns the characters that a source may have, whose last reading is among the kept ones. */
  const roomFor = ({ key, place: { namespace } }: UnreadSource, kept: HeldSources): number => {
    const used = [...held.values()].reduce((sum, one) => sum + one.charactersOf(namespace), 0)
    return MOST_CHARACTERS - used + (kept.get(key)?.characters ?? 0)
  }
  return {
    read: async (gateway, wanted) => {
      const before = held.get(gateway)
      const { sources, kept, unread } = await inTurns(known(wanted, before, versionOf))
      held.set(gateway, kept)
      const keep = (unread: UnreadSource, one: HeldSource): void => {
        const { key, place, keys, own } = unread
        const room = roomFor(unread, kept)
        // Keys that nobody names any more are the first to go.
        const least = one.needs <= room || one.keys.size === keys.size ? one : cutTo(keys, one)
        const taken = least.needs <= room ? least : crowdedOut(least, own)
        sources.set(key, taken.source)
        kept.put(key, place.namespace, taken)
      }
      const readInOrder = async (all: readonly UnreadSource[]): Promise<void> => {
        for (let from = 0; from < all.length; from += SHARE) {
          const batch = all.slice(from, from + SHARE)
          const readings = await Promise.all(
            batch.map((one) => {
              const { place, toRead, crowded } = one
              if (crowded !== undefined && crowded.needs > roomFor(one, kept)) return crowded
              return limit(() => readNow(client, { place, keys: toRead }))
            }),
          )
          for (const [index, one] of batch.entries()) {
            const reading = readings[index] ?? FAILED
            if ('source' in reading) {
              keep(one, isUnchanged(reading, one.last) ? one.last : reading)
              continue
            }
            sources.set(one.key, reading)
            if (reading.kind !== 'failed') kept.put(one.key, one.place.namespace, undefined)
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

type UnreadSource = {
  readonly key: string
  readonly place: SourceReference
  /** The keys that are named now. */
  readonly keys: ReadonlyMap<string, number>
  readonly own: ReadonlySet<string>
  /** The keys that are named now, and perhaps keys that were named before. */
  readonly toRead: ReadonlyMap<string, number>
  readonly last: HeldSource | undefined
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
  for (const [key, { place, afresh, keys, own }] of wanted) {
    yield
    const version = versionOf(place)
    const last = before?.get(key)
    const stands = last !== undefined && !afresh && last.resourceVersion === version && hasAll(last.keys, keys)
    const isCrowded = last?.source.crowdedOut === true
    // A read may be ahead of the watch, so the watch alone doesn't tell that a known source is gone.
    if (!afresh && version === undefined && last === undefined) {
      sources.set(key, MISSING)
    } else if (stands && !isCrowded) {
      const one = areFew(last.keys, keys) ? last : cutTo(keys, last)
      sources.set(key, one.source)
      kept.put(key, place.namespace, one)
    } else {
      // Until it is read again, nobody else takes its room.
      if (last !== undefined) kept.put(key, place.namespace, { ...last, resourceVersion: '' })
      const ofNamespace = unread.get(place.namespace) ?? []
      unread.set(place.namespace, ofNamespace)
      // With fewer keys it may find room.
      const crowded = stands && last.keys.size === keys.size ? last : undefined
      ofNamespace.push({ key, place, keys, own, toRead: isCrowded ? keys : withLast(keys, last?.keys), last, crowded })
    }
  }
  return { sources, kept, unread }
}

function hasAll(keys: ReadonlyMap<string, number>, wanted: ReadonlyMap<string, number>): boolean {
  for (const [key, most] of wanted) if ((keys.get(key) ?? -1) < most) return false
  return true
}

/** Returns whether a source has its last content and keys: verdicts on the object of the last reading stand then. */
function isUnchanged(now: HeldSource, last: HeldSource | undefined): last is HeldSource {
  if (last === undefined || last.source.crowdedOut === true || last.resourceVersion !== now.resourceVersion)
    return false
  return last.keys.size === now.keys.size && hasAll(last.keys, now.keys)
}

const SPARE_KEYS = 16

/** Returns whether keys that were asked for once may be held beside those that are named now. */
function areFew(held: ReadonlyMap<string, number>, wanted: ReadonlyMap<string, number>): boolean {
  return held.size <= 2 * wanted.size + SPARE_KEYS
}

/**
 * Adds the keys that were asked for last, as long as they aren't many more: where a source loses a key, all entries that
 * use it are made again.
 */
function withLast(
  wanted: ReadonlyMap<string, number>,
  last: ReadonlyMap<string, number> = new Map(),
): ReadonlyMap<string, number> {
  const both = new Map([...last, ...wanted])
  return areFew(both, wanted) ? both : wanted
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
    return resourceVersion === undefined ? source : heldSource(source, { resourceVersion, keys })
  } catch (error) {
    if (error instanceof TransportError) return FAILED
    throw error
  }
}
