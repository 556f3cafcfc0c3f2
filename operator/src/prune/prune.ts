import type { LlmGateway } from '@llm-gateway/crds'
import type { KubeClient } from '../kube/kube-client.ts'
import { keyOf, type Store, type Stored } from '../kube/store.ts'
import type { Translation } from '../translate/translate.ts'
import { isRipe, LONGEST_KEPT_MS, type Moment } from './is-ripe.ts'
import { type Unwanted, unwantedOf } from './unwanted.ts'

export type Pruned = {
  /** `Deployment main-sink-file: Forbidden`. */
  readonly failures: readonly string[]
  /** When to look again at what isn't ripe yet. */
  readonly againMs: number | undefined
}

export type PruneMoment = Omit<Moment, 'unwantedMs'>

export type Pruner = {
  /** Deletes what a gateway had and shouldn't have any more. */
  prune(gateway: LlmGateway, translation: Translation, moment: PruneMoment): Promise<Pruned>
  forget(gateway: string): void
}

export type PrunerOptions = {
  readonly client: KubeClient
  readonly metadata: ReadonlyMap<string, Store<Stored>>
  /** Milliseconds of a clock that never goes back. */
  readonly clock: () => number
}

export function createPruner({ client, metadata, clock }: PrunerOptions): Pruner {
  /** Gateway → uid of what isn't wanted → since when. */
  const unwantedSince = new Map<string, ReadonlyMap<string, number>>()

  const remove = async ({ place, stored }: Unwanted): Promise<string | undefined> => {
    const outcome = await client.remove(place, stored.metadata.uid)
    if (outcome.kind === 'refused' && outcome.status !== 404) return `${place.kind} ${place.name}: ${outcome.code}`
    metadata.get(place.kind)?.delete(stored)
    return undefined
  }
  return {
    prune: async (gateway, translation, moment) => {
      const now = clock()
      const unwanted = unwantedOf(gateway, translation, metadata)
      const before = unwantedSince.get(keyOf(gateway.metadata))
      const since = new Map(
        unwanted.map(
          ({
            stored: {
              metadata: { uid },
            },
          }) => [uid, before?.get(uid) ?? now],
        ),
      )
      if (since.size === 0) unwantedSince.delete(keyOf(gateway.metadata))
      else unwantedSince.set(keyOf(gateway.metadata), since)
      const ageOf = ({ stored }: Unwanted) => now - (since.get(stored.metadata.uid) ?? now)
      const failures: string[] = []
      const waits: number[] = []
      for (const one of unwanted) {
        const unwantedMs = ageOf(one)
        if (!isRipe(one.component, { ...moment, unwantedMs })) {
          if (unwantedMs < LONGEST_KEPT_MS) waits.push(LONGEST_KEPT_MS - unwantedMs)
          continue
        }
        const failure = await remove(one)
        if (failure !== undefined) failures.push(failure)
      }
      return { failures, againMs: waits.length === 0 ? undefined : Math.min(...waits) }
    },
    forget: (gateway) => {
      unwantedSince.delete(gateway)
    },
  }
}
