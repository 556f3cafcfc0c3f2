import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isJsonObject } from '@llm-gateway/protocol'
import { busOptions, connectBus, serveProcessor } from '@llm-gateway/sdk'
import { contextUnderTest } from '@llm-gateway/sdk/context-under-test'
import { type BusClient, connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { tokenCounter } from './definition.ts'

// Rules: docs/reference/processors.md#token-counter

const ROUTER = '/service/capped/'
const ANSWER = { inbound_status_code: 200, inbound_payload: { usage: { total_tokens: 100 } } }
const SUBJECT = 'llm.gl.tokencounter'
/** The start of a window, so that the window can't end during a test. */
const now = () => 1_763_690_400_000

test('the token counter counts, estimates and refuses over the bus, and ends at its stop signal', async () => {
  await using scene = await onTheBus()
  const { outside } = scene
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
  await scene.end()
  await assert.rejects(outside.request(SUBJECT, Buffer.from('{}'), 500), { code: '503' })
})

for (const [size, words] of [
  ['short', 200],
  ['large', 10_000],
] as const) {
  test(`the prompt of a ${size} stream without usage counts against the cap`, async () => {
    await using scene = await onTheBus()
    const messages = [{ role: 'user', content: 'word '.repeat(words) }]
    const usage = { stream_options: { include_usage: true } }
    for (const variant of [{ stream: true, ...usage }, { stream: false }]) {
      assert.deepEqual(await ask(scene.outside, { gl_path: ROUTER, ingress_payload: { messages, ...variant } }), {})
    }
    assert.deepEqual(await ask(scene.outside, { gl_path: ROUTER, ingress_payload: { messages, stream: true } }), {})
    await untilRefused(scene.outside)
  })
}

/** Asks until a request is refused: estimates are booked in the background. */
async function untilRefused(outside: BusClient): Promise<void> {
  const end = performance.now() + 60_000
  while (performance.now() < end) {
    const answer = await ask(outside, { gl_path: ROUTER, ingress_payload: {} })
    if (isJsonObject(answer) && answer.control_status_code === 429) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.fail('never refused')
}

async function onTheBus() {
  const stack = new AsyncDisposableStack()
  const server = stack.use(await startNatsServer())
  const outside = stack.use(await connectBusClient(server))
  const { log, ...context } = contextUnderTest()
  const { logger } = log
  const place = busOptions({ GATEWAY_HOST: server.address, NATS_TOKEN: server.token })
  assert.ok(place)
  const bus = await connectBus({ ...place, name: 'test', logger })
  assert.ok(bus)
  const { settings, create } = tokenCounter('1.0.0', now)
  const running = await create(settings.parse({}), context)
  const processor = await serveProcessor({ ...running, bus, subject: SUBJECT, logger })
  let hasEnded = false
  const end = async (): Promise<void> => {
    if (hasEnded) return
    hasEnded = true
    await processor.drain()
    await processor.close()
    await running.close?.()
    await bus.close()
  }
  stack.defer(end)
  return { outside, end, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

async function ask(bus: BusClient, message: object): Promise<unknown> {
  return JSON.parse(Buffer.from(await bus.request(SUBJECT, Buffer.from(JSON.stringify(message)))).toString())
}
