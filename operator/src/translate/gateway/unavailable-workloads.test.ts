import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObservedDeployment } from '../../model/snapshot.ts'
import { unavailableWorkloads } from './unavailable-workloads.ts'

const now = '2026-11-21T02:00:00Z'
const away = { available: false, stuck: false, replicas: 1, readyReplicas: 0, updatedReplicas: 1 }

const cases: readonly (readonly [string, Partial<ObservedDeployment>, boolean, number | undefined])[] = [
  ['starts', { unavailableSince: '2026-11-21T01:59:50Z' }, false, 21_000],
  ['has been away for 30 s', { unavailableSince: '2026-11-21T01:59:30Z' }, true, undefined],
  ['is away since a time in the future', { unavailableSince: '2027-01-01T00:00:00Z' }, false, 31_000],
  ['is away since an unknown time', {}, true, undefined],
  ['serves', { available: true, readyReplicas: 1 }, false, undefined],
]
for (const [what, more, missed, againMs] of cases) {
  test(`a sink that ${what} ${missed ? 'counts' : "doesn't count"} as missing; next check in ms: ${againMs ?? 'none'}`, () => {
    const sinks = new Map([['file', { ...away, ...more }]])
    assert.deepEqual(unavailableWorkloads({ sinks, now }), { sinks: missed ? ['file'] : [], web: false, againMs })
  })
}
