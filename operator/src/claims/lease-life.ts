import { isDeepStrictEqual } from 'node:util'
import type { KubeClient } from '@llm-gateway/kube'
import { decodeLease, type LeaseRecord } from '../lease/lease-record.ts'

export type LeaseReference = { readonly namespace: string; readonly name: string }

export type LeaseLifeOptions = {
  readonly client: Pick<KubeClient, 'get'>
  /** Milliseconds of a clock that never goes back and counts on while the process is stopped. */
  readonly clock: () => number
  /** The ms after which an unchanged Lease is over. */
  readonly silentMs: number
}

/** `unknown`: the Lease can't be read, so its holder may still be running. */
export type LeaseLife = 'alive' | 'over' | 'unknown'

type LeaseObservation = {
  readonly record: LeaseRecord | undefined
  readonly since: number
  readonly lookedAt: number
  readonly life: LeaseLife
}

const SECOND_MS = 1_000
/** Gateways that wait for one Lease share one read of it. */
const LOOK_EVERY_MS = 1_000
const MAX_LEASES = 64

/**
 * Judges whether a Lease is still renewed, by our own clock. Clocks of machines differ, so a Lease is alive when this
 * process sees it change, and over when it hasn't changed for long. A Lease that is given back isn't over at once: a
 * restarted holder takes it up again.
 */
export function createLeaseLife({
  client,
  clock,
  silentMs,
}: LeaseLifeOptions): (lease: LeaseReference) => Promise<LeaseLife> {
  const known = new Map<string, LeaseObservation>()

  const look = async (lease: LeaseReference, before: LeaseObservation | undefined): Promise<LeaseObservation> => {
    const found = await client.get({ kind: 'Lease', ...lease })
    const lookedAt = clock()
    if (found === undefined) return { record: undefined, since: lookedAt, lookedAt, life: 'over' }
    if (found.kind === 'refused') return { record: undefined, since: lookedAt, lookedAt, life: 'unknown' }
    const { record } = decodeLease(found.object)
    const since = before !== undefined && isDeepStrictEqual(before.record, record) ? before.since : lookedAt
    const expiryMs = Math.max(silentMs, record.leaseDurationSeconds * SECOND_MS)
    return { record, since, lookedAt, life: lookedAt - since < expiryMs ? 'alive' : 'over' }
  }
  return async (lease) => {
    const key = `${lease.namespace}/${lease.name}`
    const before = known.get(key)
    if (before !== undefined && clock() - before.lookedAt < LOOK_EVERY_MS) return before.life
    const seen = await look(lease, before)
    // Keeps the map in the order in which the Leases were last read.
    known.delete(key)
    known.set(key, seen)
    const [oldest] = known.keys()
    if (known.size > MAX_LEASES && oldest !== undefined) known.delete(oldest)
    return seen.life
  }
}
