import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PodFailure } from '../model/snapshot.ts'
import { podFailure } from './pod-failure.ts'

const waiting = (reason: string, more: object = {}) => ({ ready: false, state: { waiting: { reason } }, ...more })
const running = { ready: true, restartCount: 7, state: { running: {} } }
const unscheduled = (reason: string) => ({ conditions: [{ type: 'PodScheduled', status: 'False', reason }] })

const cases: readonly (readonly [string, object, PodFailure | undefined])[] = [
  ['fits on no node', unscheduled('Unschedulable'), 'place'],
  ['waits for its gate', unscheduled('SchedulingGated'), undefined],
  ['has no status', {}, undefined],
  ['starts', { containerStatuses: [waiting('ContainerCreating')] }, undefined],
  ["can't pull its image", { containerStatuses: [waiting('ErrImagePull')] }, 'image'],
  ["can't pull a second image", { containerStatuses: [running, waiting('ImagePullBackOff')] }, 'image'],
  ['waits between crashes', { containerStatuses: [waiting('CrashLoopBackOff')] }, 'crash'],
  ['runs between crashes', { containerStatuses: [{ ...running, ready: false, restartCount: 2 }] }, 'crash'],
  ['crashed once', { containerStatuses: [{ ...running, ready: false, restartCount: 1 }] }, undefined],
  ['is ready after crashes', { containerStatuses: [running] }, undefined],
]
for (const [what, status, expected] of cases) {
  test(`a pod that ${what} has the failure ${expected ?? 'none'}`, () => assert.equal(podFailure({ status }), expected))
}
