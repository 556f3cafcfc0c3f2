import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { describeMeasurements, measureLiveView } from './measure-live-view.ts'
import { sceneForTests } from './scene.ts'

/** Enough for more records than the page keeps; `make soak SOAK=page` watches for ten minutes. */
const SECONDS = 20

const { scene, skip } = await sceneForTests(process.env)
after(() => scene.close())

test('the live view of 10,000 calls a minute stays within the limits of page and server, and no call fails', {
  skip,
}, async (context) => {
  const watched = await measureLiveView(scene, SECONDS)
  context.diagnostic(describeMeasurements(watched))
  assert.deepEqual(watched.failures, [])
  assert.ok(watched.records >= SECONDS * 100)
  // A page that rendered each call separately would need more CPU time than there is.
  assert.ok(watched.cpuMsPerRecord < 4)
  assert.ok(watched.heapMib[1] < watched.heapMib[0] + 16)
  assert.ok(watched.serverMib < 150)
})
