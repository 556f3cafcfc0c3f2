import { Counter, Gauge, type Registry } from 'prom-client'
import type { Availability } from './availability.ts'
import type { FailureReason } from './failure.ts'
import type { Pool } from './settings.ts'

export type BrokerCounts = {
  chosen(pool: string, member: string): void
  failed(member: string, reason: FailureReason): void
}

/** Makes the metrics: enabled members, choices and failures. Labels are configured paths only. */
export function createBrokerMetrics(
  registry: Registry,
  pools: readonly Pool[],
  availability: Pick<Availability, 'disabledUntil'>,
): BrokerCounts {
  const registers = [registry]
  const enabled: Gauge = new Gauge({
    name: 'llm_broker_member_enabled',
    help: 'Whether a member of a pool may be chosen: 1 enabled, 0 disabled',
    labelNames: ['pool', 'member'],
    registers,
    collect: () => {
      for (const { path, members } of pools) {
        for (const member of members) {
          enabled.set({ pool: path, member }, availability.disabledUntil(member) === undefined ? 1 : 0)
        }
      }
    },
  })
  const chosen = new Counter({
    name: 'llm_broker_chosen_total',
    help: 'Calls to a pool, by the member that got them',
    labelNames: ['pool', 'member'],
    registers,
  })
  const failures = new Counter({
    name: 'llm_broker_failures_total',
    help: 'Failures of members that this process has seen, by reason',
    labelNames: ['member', 'reason'],
    registers,
  })
  return {
    chosen: (pool, member) => chosen.inc({ pool, member }),
    failed: (member, reason) => failures.inc({ member, reason }),
  }
}
