import assert from 'node:assert/strict'
import { test } from 'node:test'
import { busOptions, connectBus, serveProcessor } from '@llm-gateway/sdk'
import { contextUnderTest } from '@llm-gateway/sdk/context-under-test'
import { type BusClient, connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { tokenCounter } from './definition.ts'

const ROUTER = '/service/capped/'
const ANSWER = { inbound_status_code: 200, inbound_payload: { usage: { total_tokens: 100 } } }
const SUBJECT = 'llm.gl.tokencounter'
/** The start of a window, so that it can't end in the middle of a test. */
const now = () => 1_763_690_400_000

test('wire 6: the token counter counts, estimates and refuses over the bus, and ends when asked', async () => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const { log, ...context } = contextUnderTest()
  const { logger } = log
  const place = busOptions({ GATEWAY_HOST: server.address, NATS_TOKEN: server.token })
  assert.ok(place)
  const bus = await connectBus({ ...place, name: 'test', logger })
  assert.ok(bus)
  const { settings, create } = tokenCounter('1.0.0', now)
  const running = await create(settings.parse({}), context)
  const processor = await serveProcessor({ ...running, bus, subject: SUBJECT, logger })

  assert.deepEqual(await ask(outside, { gl_path: ROUTER, ingress_payload: {} }), {})
  const text = { ...ANSWER, inbound_payload: { choices: [{ message: { content: 'Hello, world!' } }] } }
  assert.deepEqual(await ask(outside, { gl_path: '/service/standard/', ...text }), {
    token_count: { completion_tokens: 4, estimated: true },
  })
  assert.deepEqual(await ask(outside, { gl_path: ROUTER, ...ANSWER }), {
    token_count: { total_tokens: 100 },
  })
  assert.deepEqual(await ask(outside, { gl_path: ROUTER }), {
    control: { Error: 'Consumption Cap Exceeded. Try again later', Path: ROUTER },
    control_status_code: 429,
    control_headers: { 'Retry-After': ['120'] },
  })
  await processor.drain()
  await running.close?.()
  await bus.close()
  await assert.rejects(outside.request(SUBJECT, Buffer.from('{}'), 500), { code: '503' })
})

async function ask(bus: BusClient, message: object): Promise<unknown> {
  return JSON.parse(Buffer.from(await bus.request(SUBJECT, Buffer.from(JSON.stringify(message)))).toString())
}
