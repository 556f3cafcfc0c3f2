import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { type RunningMock, startMock } from './running-mock-under-test.ts'

// Rules: docs/reference/processors.md#mock, docs/reference/processor-settings.md#mock

const answerOf = (gl_path: string, id: number, more: object = {}) => ({
  gl_path,
  egress_status_code: 200,
  egress_headers: {},
  egress_payload: { gl_path, id },
  ...more,
})

/** Replays a recording through both phases. */
async function replay(mock: RunningMock, path: string): Promise<unknown> {
  const chosen = JSON.stringify(await mock.send({ gl_path: `/mock${path}`, ingress_subpath: '' }))
  const { control } = JSON.parse(chosen)
  return await mock.send({ gl_path: `/mock${path}`, egress_payload: control, egress_status_code: 503 })
}

const replayed = (gl_path: string, id: number) => ({
  egress_payload: { gl_path, id },
  egress_headers: {},
  egress_status_code: 200,
})

test('with shared, recordings outlive the program and the bus', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using first = await startMock(server, { shared: true })
  await first.send(answerOf('/pool/gpt4/', 1, { original_gl_path: '/pool/' }))
  await first.send(answerOf('/__proto__/', 2))
  await first.stop()
  await server.restart()
  await using second = await startMock(server, { shared: true })
  assert.deepEqual(await replay(second, '/pool/'), replayed('/pool/gpt4/', 1))
  assert.deepEqual(await replay(second, '/pool/gpt4/'), replayed('/pool/gpt4/', 1))
  assert.deepEqual(await replay(second, '/__proto__/'), replayed('/__proto__/', 2))
})

test('with shared, each replica replays the recordings of all replicas', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using mock = await startMock(server, { shared: true })
  await using _other = await startMock(server, { shared: true })
  // The messages go to the queue group, so the bus picks a replica for each.
  for (let id = 0; id < 20; id += 1) await mock.send(answerOf(`/${id}/`, id))
  for (let id = 0; id < 20; id += 1) {
    await until(async () => {
      // Repeated until both replicas were probably asked: one may know the recording earlier.
      for (let times = 0; times < 8; times += 1) {
        if (JSON.stringify(await replay(mock, `/${id}/`)) !== JSON.stringify(replayed(`/${id}/`, id))) return false
      }
      return true
    })
  }
  // Once both replicas know everything, their answers are the same.
  for (let id = 0; id < 20; id += 1) assert.deepEqual(await replay(mock, `/${id}/`), replayed(`/${id}/`, id))
})

test('the mock works on a bus without a store', async () => {
  await using server = await startNatsServer()
  await using mock = await startMock(server, { shared: true })
  await mock.send(answerOf('/a/', 1))
  assert.deepEqual(await replay(mock, '/a/'), replayed('/a/', 1))
})

test('a recording above the bus’s max_payload is replayed by the replica that recorded it', async () => {
  await using server = await startNatsServer({ jetstream: true, maxPayload: 64 * 1024 })
  await using mock = await startMock(server, { shared: true })
  const large = answerOf('/a/', 1, { egress_payload: 'x'.repeat(65_300) })
  await mock.send(large)
  const answer = await replay(mock, '/a/')
  assert.deepEqual(answer, { egress_payload: large.egress_payload, egress_headers: {}, egress_status_code: 200 })
})

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await holds())) assert.ok(performance.now() < end, 'not within 60 s')
}
