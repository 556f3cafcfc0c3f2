import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readMetric } from '../../fake/metric.ts'
import { openRawConnection } from '../../fake/raw-http.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#memory

const CALLS = 60
let scene: Scene

before(async () => {
  scene = await startScene({ admin: true, config: { limits: { buffered_bytes: 4_000_000 } } })
  scene.llm.respond(() => ({ kind: 'hang' }))
})
after(() => scene.close())

const held = (): Promise<number> => readMetric(scene.gateway, 'llm_gateway_buffered_bytes')

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 30_000; !(await holds()); await sleep(20)) assert.ok(performance.now() < end)
}

test('long heads of running calls count, and leave room for calls of other routers', async () => {
  const { gateway, llm } = scene
  const callers = await Promise.all(Array.from({ length: CALLS }, () => openRawConnection(gateway.port)))
  for (const caller of callers) await caller.send(`GET /llm/x HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(50_000)}\r\n\r\n`)
  const refused = (): number => callers.filter(({ received }) => received.includes('"OVERLOADED"')).length
  await until(async () => refused() + llm.requests.total === CALLS)
  assert.ok(refused() > 0 && refused() < CALLS, `${refused()} refused`)
  assert.ok((await held()) > 2_000_000, `${await held()} bytes`)
  // The records of the refused calls count until the bus has them, whatever they take.
  await until(async () => (await readMetric(gateway, 'llm_gateway_record_queue_bytes')) === 0)
  assert.equal((await fetch(`${gateway.url}/echo/`)).status, 200)
  for (const caller of callers) caller.close()
  await until(async () => (await held()) === 0)
})
