import type { Observation } from '../../snapshot.ts'
import { isServing } from '../is-serving.ts'

export type MissedSinks = {
  readonly kinds: readonly string[]
  /** When to look again at one that may only be starting. */
  readonly againMs: number | undefined
}

/** A pod that is replaced or moves to another node is back before. */
const MISSED_AFTER_MS = 30_000
/** Times of the API server are whole seconds. */
const SECOND_MS = 1_000

/** The sinks that haven't had a pod that is ready for a while: what is recorded doesn't arrive there. */
export function missedSinks({ sinks = new Map(), now }: Pick<Observation, 'sinks' | 'now'>): MissedSinks {
  const away = [...sinks].filter(([, deployment]) => !isServing(deployment))
  const waits = away.map(([kind, { unavailableSince = '' }]) => {
    const awayMs = Date.parse(now) - Date.parse(unavailableSince)
    // Clocks differ: nobody waits for longer than that.
    return { kind, waitMs: awayMs < MISSED_AFTER_MS ? Math.min(MISSED_AFTER_MS - awayMs, MISSED_AFTER_MS) : 0 }
  })
  const starting = waits.map(({ waitMs }) => waitMs).filter((waitMs) => waitMs > 0)
  return {
    kinds: waits.filter(({ waitMs }) => waitMs === 0).map(({ kind }) => kind),
    againMs: starting.length === 0 ? undefined : Math.min(...starting) + SECOND_MS,
  }
}
