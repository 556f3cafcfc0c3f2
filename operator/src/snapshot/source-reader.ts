import { setTimeout as wait } from 'node:timers/promises'
import { decodeMetadata, type KubeClient, keyOf, type Store, type Stored, TransportError } from '@llm-gateway/kube'
import { decodeKeys } from '../kube/decode.ts'
import type { Source } from '../model/snapshot.ts'
import { inTurns } from '../translate/steps.ts'
import { createFairLimit } from './fair-limit.ts'
import { GatewaySources } from './gateway-sources.ts'
import { heldSource } from './held-sources.ts'
import { type Reading, type ReadSource, SHARE } from './reading-lane.ts'
import type { SourceReference, WantedSource } from './wanted-sources.ts'

export type SourceReader = {
  /**
   * Returns the wanted Secrets and ConfigMaps of a gateway by their keys. Each is read again when its metadata changed, or
   * was read before the turn `since`: a new generation of a Router is translated with values that were read after that
   * generation was seen. A source whose read takes too long is `pending`. Sources that aren't wanted any more are
   * forgotten. `turn` grows with each call of a gateway.
   */
  read(gateway: string, wanted: ReadonlyMap<string, WantedSource>, turn: number): Promise<ReadonlyMap<string, Source>>
  forget(gateway: string): void
}

export type SourceReaderOptions = {
  readonly client: KubeClient
  readonly metadata: ReadonlyMap<string, Store<Stored>>
  /** Called once pending sources of a gateway have been read. */
  readonly readLate?: (gateway: string) => void
  /** Resolves when a gateway has waited long enough for the sources of its Routers. */
  readonly patience?: () => Promise<void>
}

/** The most reads at once. Each answer may have 1.5 MiB. */
const AT_ONCE = 32
/**
 * The time that the sources of Routers have in a pass: some 1,500 of a namespace. Those of other namespaces are in use
 * after it, while 32,768 take 10 to 20 s.
 */
const PATIENCE_MS = 500

/**
 * The most characters of a namespace's keys and texts, for all gateways together. Texts beyond it count as too long, but
 * not those that a gateway itself names. The values of a gateway's Routers have to fit into one Secret of 1 MiB.
 */
export const MOST_CHARACTERS = 16 * 1024 * 1024

export function createSourceReader({
  client,
  metadata,
  readLate = () => undefined,
  patience = () => wait(PATIENCE_MS, undefined, { ref: false }),
}: SourceReaderOptions): SourceReader {
  const limit = createFairLimit(AT_ONCE, SHARE)
  const gateways = new Map<string, GatewaySources>()
  const world = {
    versionOf: (place: SourceReference) => metadata.get(place.kind)?.get(keyOf(place))?.metadata.resourceVersion,
    charactersLeft: (namespace: string) =>
      [...gateways.values()].reduce((rest, one) => rest - one.charactersOf(namespace), MOST_CHARACTERS),
    read: (one: ReadSource) => limit(one.place.namespace, () => readNow(client, one)),
  }
  return {
    read: async (gateway, wanted, turn) => {
      const known = gateways.get(gateway)
      const sources = known ?? new GatewaySources({ ...world, readLate: () => readLate(gateway) })
      gateways.set(gateway, sources)
      await inTurns(sources.plan(wanted, turn))
      await sources.awaited()
      await sources.inTime(patience)
      return inTurns(sources.results())
    },
    forget: (gateway) => {
      gateways.get(gateway)?.close()
      gateways.delete(gateway)
    },
  }
}

async function readNow(client: KubeClient, { place, toRead, turn }: ReadSource): Promise<Reading> {
  try {
    const stored = await client.get(place)
    if (stored === undefined) return 'missing'
    if (stored.kind === 'refused') return 'failed'
    const resourceVersion = decodeMetadata(stored.object)?.metadata.resourceVersion ?? ''
    return heldSource(decodeKeys(stored.object, toRead), { resourceVersion, turn, keys: toRead })
  } catch (error) {
    if (error instanceof TransportError) return 'failed'
    throw error
  }
}
