import { isDeepStrictEqual } from 'node:util'
import type { KubeClient } from '@llm-gateway/kube'
import { decodeLease, type LeaseRecord } from '../lease/lease-record.ts'

export type LeasePlace = { readonly namespace: string; readonly name: string }

export type LeaseLifeOptions = {
  readonly client: Pick<KubeClient, 'get'>
  /** Milliseconds that only grow, also while the process is stopped. */
  readonly clock: () => number
  /** How long a Lease may say nothing new. */
  readonly silentMs: number
}

/** `unknown`: it can't be read, so somebody may well live by it. */
export type LeaseLife = 'alive' | 'over' | 'unknown'

type Seen = {
  readonly record: LeaseRecord | undefined
  readonly since: number
  readonly lookedAt: number
  readonly life: LeaseLife
}

const SECOND_MS = 1_000
/** Of many gateways that wait for one Lease, one looks. */
const LOOK_EVERY_MS = 1_000
const MOST_LEASES = 64

/**
 * Whether somebody still renews a Lease, by our own clock: clocks of machines differ, so only what changes before our eyes is
 * alive, and a silent one is over after we saw it silent for long. One that is given back isn't over at once: who restarts
 * takes it up again.
 */
export function createLeaseLife({
  client,
  clock,
  silentMs,
}: LeaseLifeOptions): (lease: LeasePlace) => Promise<LeaseLife> {
  const known = new Map<string, Seen>()

  const look = async (lease: LeasePlace, before: Seen | undefined): Promise<Seen> => {
    const found = await client.get({ kind: 'Lease', ...lease })
    const lookedAt = clock()
    if (found === undefined) return { record: undefined, since: lookedAt, lookedAt, life: 'over' }
    if (found.kind === 'refused') return { record: undefined, since: lookedAt, lookedAt, life: 'unknown' }
    const { record } = decodeLease(found.object)
    const since = before !== undefined && isDeepStrictEqual(before.record, record) ? before.since : lookedAt
    const patienceMs = Math.max(silentMs, record.leaseDurationSeconds * SECOND_MS)
    return { record, since, lookedAt, life: lookedAt - since < patienceMs ? 'alive' : 'over' }
  }
  return async (lease) => {
    const key = `${lease.namespace}/${lease.name}`
    const before = known.get(key)
    if (before !== undefined && clock() - before.lookedAt < LOOK_EVERY_MS) return before.life
    const seen = await look(lease, before)
    // The one that was looked at last stands last.
    known.delete(key)
    known.set(key, seen)
    const [oldest] = known.keys()
    if (known.size > MOST_LEASES && oldest !== undefined) known.delete(oldest)
    return seen.life
  }
}
