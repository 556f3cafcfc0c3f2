import type { LlmGateway } from '@llm-gateway/crds'
import { type KubeClient, keyOf, type Store, type Stored } from '@llm-gateway/kube'
import type { SinkConsumers } from '../bus/sink-consumers.ts'
import type { ApplyFailure } from '../model/snapshot.ts'
import type { Translation } from '../translate/translate.ts'
import { type RemovalFacts, removalDelayMs } from './removal-delay.ts'
import { type UnwantedObject, unwantedObjects } from './unwanted-objects.ts'

export type PruneResult = {
  readonly failures: readonly ApplyFailure[]
  /** The ms until the next look at objects that must stay for now; undefined: there are none. */
  readonly againMs: number | undefined
}

export type PruneFacts = Pick<RemovalFacts, 'rolledOut'> & {
  /** True when every ready pod of the gateway has the wanted configuration. */
  readonly settled: boolean
  /** True when every pod that may still take or hold calls has the wanted configuration. */
  readonly everywhere: boolean
}

type WantedObjects = Pick<Translation, 'objects' | 'withheld'>

export type Pruner = {
  /** Deletes the unwanted objects of a gateway. */
  prune(gateway: LlmGateway, translation: WantedObjects, moment: PruneFacts): Promise<PruneResult>
  forget(gateway: string): void
}

export type PrunerOptions = {
  readonly client: KubeClient
  readonly metadata: ReadonlyMap<string, Store<Stored>>
  /** Unset: the operator doesn't reach the buses, and consumers stay. */
  readonly consumers: SinkConsumers | undefined
  /** Milliseconds of a clock that never goes back. */
  readonly clock: () => number
}

type SeenObjects = { readonly releasedSince: number | undefined; readonly unwantedSince: ReadonlyMap<string, number> }

/** A removed sink's pod ends within 30 s; until then it would make its consumer again. */
const SINK_ENDS_MS = 40_000
const RELEASE_AGAIN_MS = 10_000

export function createPruner({ client, metadata, consumers, clock }: PrunerOptions): Pruner {
  /** Gateway → since when its pods have the wanted configuration, and since when each object, by uid, is unwanted. */
  const seen = new Map<string, SeenObjects>()

  const remove = async ({ place, stored }: UnwantedObject): Promise<ApplyFailure | undefined> => {
    const outcome = await client.remove(place, stored.metadata.uid)
    if (outcome.kind === 'refused' && outcome.status !== 404)
      return { kind: place.kind, name: place.name, code: outcome.code }
    metadata.get(place.kind)?.delete(stored)
    return undefined
  }
  return {
    prune: async (gateway, translation, moment) => {
      const key = keyOf(gateway.metadata)
      const now = clock()
      const unwanted = unwantedObjects(gateway, translation, metadata)
      const before = seen.get(key)
      const releasedSince = moment.everywhere ? (before?.releasedSince ?? now) : undefined
      const unwantedSince = new Map(
        unwanted.map(({ stored }) => [uidOf(stored), before?.unwantedSince.get(uidOf(stored)) ?? now]),
      )
      if (unwanted.length === 0) seen.delete(key)
      else seen.set(key, { releasedSince, unwantedSince })
      const failures: ApplyFailure[] = []
      const waits: number[] = []
      for (const one of unwanted) {
        const unwantedMs = now - (unwantedSince.get(uidOf(one.stored)) ?? now)
        const releasedMs = releasedSince === undefined ? undefined : now - releasedSince
        // A sink's ConfigMap stays until its consumer is deleted, so that a new operator finds the consumer, too.
        const isMemory = consumers !== undefined && one.component === 'sink' && one.place.kind === 'ConfigMap'
        const delayMs = removalDelayMs(one.component, { ...moment, unwantedMs, releasedMs })
        const waitMs = isMemory ? Math.max(0, SINK_ENDS_MS - unwantedMs) : delayMs
        if (waitMs !== 0) {
          if (waitMs !== undefined) waits.push(waitMs)
          continue
        }
        if (isMemory && !consumers.release(gateway, one.place.name)) {
          waits.push(RELEASE_AGAIN_MS)
          continue
        }
        const failure = await remove(one)
        if (failure !== undefined) failures.push(failure)
      }
      return { failures, againMs: waits.length === 0 ? undefined : Math.min(...waits) }
    },
    forget: (gateway) => {
      seen.delete(gateway)
    },
  }
}

function uidOf({ metadata }: Stored): string {
  return metadata.uid
}
