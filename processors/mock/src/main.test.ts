import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { EMPTY } from './mock-under-test.ts'
import { startMock } from './running-mock-under-test.ts'

// Rules: docs/reference/processors.md#mock, docs/reference/environment-variables.md#single-processors

const ANSWER = { gl_path: '/a/', egress_status_code: 200, egress_headers: { 'X-A': ['1'] }, egress_payload: { id: 1 } }
const ASK = { gl_path: '/mock/a/', ingress_subpath: 'chat' }
const REPLAY = { gl_path: '/mock/a/', egress_payload: '/a/', egress_headers: {}, egress_status_code: 503 }
const REPLAYED = { egress_payload: { id: 1 }, egress_headers: { 'X-A': ['1'] }, egress_status_code: 200 }

test('the program records and replays over a real bus and counts both in its metrics', async () => {
  await using server = await startNatsServer()
  const port = await freePort()
  await using mock = await startMock(server, {}, { PROCESSOR_PORT: String(port) })
  assert.deepEqual(await mock.send(ASK), { control: EMPTY, control_status_code: 404 })
  assert.deepEqual(await mock.send(ANSWER), {})
  assert.deepEqual(await mock.send(ASK), { control: '/a/', control_status_code: 503 })
  assert.deepEqual(await mock.send(REPLAY), REPLAYED)
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  for (const line of [
    /^llm_mock_recordings_total\{.*outcome="recorded".*\} 1$/m,
    /^llm_mock_replays_total(\{.*\})? 1$/m,
    /^llm_mock_empties_total(\{.*\})? 1$/m,
    /^llm_mock_kept_recordings(\{.*\})? 1$/m,
    /^llm_mock_kept_bytes(\{.*\})? [1-9][0-9]+$/m,
  ])
    assert.match(metrics, line)
  assert.doesNotMatch(mock.program.lines.entries.join('\n'), /"level":"(WARN|ERROR)"/)
  assert.deepEqual(await mock.stop(), { code: 0, signal: null })
})

test('LAMBDA delays only replays, and an ending program waits for no delay', async () => {
  await using server = await startNatsServer()
  // A mean of 1,000,000 s: without the end of the program no answer would arrive during the test.
  await using mock = await startMock(server, { max_delay_ms: 600_000, lambda: 1 }, { LAMBDA: '1e-7' })
  assert.deepEqual(await mock.send(ANSWER), {})
  assert.deepEqual(await mock.send(ASK), { control: '/a/', control_status_code: 503 })
  await using outside = await connectBusClient(server)
  const replayed = outside.request('llm.gl.mock', Buffer.from(JSON.stringify(REPLAY)), 60_000)
  await outside.flush()
  // The mock has received the replay by now: the bus keeps the order of one connection's messages.
  await outside.request('llm.gl.mock', Buffer.from(JSON.stringify(ASK)))
  await mock.stop()
  assert.deepEqual(JSON.parse(Buffer.from(await replayed).toString()), REPLAYED)
})

test('the mock survives messages that are huge or not an object', async () => {
  await using server = await startNatsServer()
  await using mock = await startMock(server)
  await using outside = await connectBusClient(server)
  for (const text of ['', '[]', 'null', '"/mock/"', '{', '\u0000', '{"__proto__":{"gl_path":"/mock/a/"}}'])
    outside.publish('llm.gl.mock', Buffer.from(text))
  assert.deepEqual(await mock.send({ ...ANSWER, egress_payload: 'x'.repeat(20 * 1024 * 1024) }), {})
  assert.deepEqual(await mock.send(ASK), { control: EMPTY, control_status_code: 404 })
  assert.deepEqual(await mock.send({ ...ASK, ingress_subpath: '/'.repeat(10 * 1024 * 1024) }), {
    control: EMPTY,
    control_status_code: 404,
  })
})
