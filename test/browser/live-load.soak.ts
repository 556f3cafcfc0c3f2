import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { describeMeasurements, measureLiveView } from './measure-live-view.ts'
import { sceneForTests } from './scene.ts'

const SECONDS = Math.min(600, Number(process.env.SOAK_SECONDS ?? '600'))
const LONGEST_TASK_MS = 200

const { scene, skip } = await sceneForTests(process.env)
after(() => scene.close())

test('ten minutes of the live view at 10,000 calls a minute fail no call, and page and server use bounded memory', {
  skip,
}, async (context) => {
  const watched = await measureLiveView(scene, SECONDS)
  context.diagnostic(describeMeasurements(watched))
  assert.deepEqual(watched.failures, [])
  assert.deepEqual(
    watched.longTasksMs.filter((taskMs) => taskMs > LONGEST_TASK_MS),
    [],
  )
  assert.ok(watched.heapMib[1] < watched.heapMib[0] + 4)
  assert.ok(watched.serverMib < 150)
})
