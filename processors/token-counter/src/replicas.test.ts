import assert from 'node:assert/strict'
import { test } from 'node:test'
import { busOptions, connectBus, type KeyValueOptions, type RunningProcessor } from '@llm-gateway/sdk'
import { contextUnderTest } from '@llm-gateway/sdk/context-under-test'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { tokenCounter } from './definition.ts'

// Rules: docs/reference/processors.md#token-counter

const ROUTER = '/service/capped/'
const WINDOW_START = 1_763_690_400_000
const REQUEST = new Map<string, unknown>([
  ['gl_path', ROUTER],
  ['ingress_payload', {}],
])
const PROBE = { gl_path: ROUTER }
const OK = { inbound_status_code: 200 }
const REFUSED = { Error: 'Consumption Cap Exceeded. Try again later', Path: ROUTER }

test('two replicas refuse by their common sum until the window rolls over', async () => {
  await using server = await startNatsServer({ jetstream: true })
  const clock = { now: WINDOW_START + 500 }
  await using a = await startReplica(server, clock)
  await using b = await startReplica(server, clock)
  await bookTokens(a, 60)
  assert.equal(await a.answer(REQUEST), undefined)
  await bookTokens(b, 60)
  for (const replica of [a, b]) {
    const refusal = await refusalOf(replica)
    assert.deepEqual(refusal, {
      control: REFUSED,
      control_status_code: 429,
      control_headers: { 'Retry-After': ['120'] },
    })
  }
  clock.now = WINDOW_START + 100_000
  const late = { control: REFUSED, control_status_code: 429, control_headers: { 'Retry-After': ['20'] } }
  assert.deepEqual(await a.answer(REQUEST), late)
  // A replica started within the window knows the tokens that the others used before.
  await using fresh = await startReplica(server, clock)
  assert.deepEqual(await refusalOf(fresh), late)
  clock.now = WINDOW_START + 120_000
  for (const replica of [a, b, fresh]) assert.equal(await replica.answer(REQUEST), undefined)
  await bookTokens(b, 100)
  assert.ok(await refusalOf(a))
})

test('a stream estimated by one replica and reported to another counts once', async () => {
  await using server = await startNatsServer({ jetstream: true })
  const clock = { now: WINDOW_START + 500 }
  await using a = await startReplica(server, clock)
  await using b = await startReplica(server, clock)
  const messages = [{ role: 'user', content: 'word '.repeat(120) }]
  await a.answer(new Map<string, unknown>(Object.entries({ ...PROBE, ingress_payload: { messages, stream: true } })))
  for (const replica of [a, b]) await until(replica, 'refused')
  const usage = { prompt_tokens: 60, completion_tokens: 0, total_tokens: 60 }
  await b.answer(new Map<string, unknown>(Object.entries({ ...PROBE, ...OK, inbound_payload: { usage } })))
  for (const replica of [a, b]) await until(replica, 'answered')
  await bookTokens(a, 40)
  for (const replica of [a, b]) await until(replica, 'refused')
})

test('a file without a cap needs no store', async () => {
  const opened: KeyValueOptions[] = []
  const context = contextUnderTest()
  const keyValue = (options: KeyValueOptions) => {
    opened.push(options)
    return context.keyValue(options)
  }
  const { settings, create } = tokenCounter('1.0.0')
  const none = [{ router: ROUTER, fields: [{ field: 'total_tokens', value: 0 }] }]
  for (const token_caps of [[], none]) {
    const running = await create(settings.parse({ token_caps }), { ...context, keyValue })
    await running.close?.()
  }
  assert.deepEqual(opened, [])
  const BUS_PREFIX = 'acme.eu'
  const running = await create(settings.parse({ cap_period_seconds: 60 }), {
    ...context,
    keyValue,
    environment: { BUS_PREFIX },
  })
  await running.close?.()
  assert.deepEqual(
    opened.map(({ bucket, ttlMs }) => [bucket, ttlMs]),
    [['acme_eu_tokencounter_60', 120_000]],
  )
})

async function startReplica(server: NatsServer, clock: { readonly now: number }) {
  const place = busOptions({ GATEWAY_HOST: server.address, NATS_TOKEN: server.token })
  assert.ok(place)
  const context = contextUnderTest()
  const bus = await connectBus({ ...place, name: 'replica', logger: context.logger })
  assert.ok(bus)
  const { settings, create } = tokenCounter('1.0.0', () => clock.now)
  const running = await create(settings.parse({}), { ...context, keyValue: (options) => bus.keyValue(options) })
  const close = async (): Promise<void> => {
    await running.close?.()
    await bus.close()
  }
  return { ...running, [Symbol.asyncDispose]: close }
}

/** Answers with so many tokens of the LLM API. */
async function bookTokens({ answer }: RunningProcessor, total_tokens: number): Promise<void> {
  const fields = { gl_path: ROUTER, inbound_status_code: 200, inbound_payload: { usage: { total_tokens } } }
  assert.ok(await answer(new Map<string, unknown>(Object.entries(fields))))
}

/** Repeats a message that doesn't count as a call until it has the outcome. */
async function until({ answer }: RunningProcessor, outcome: 'answered' | 'refused'): Promise<void> {
  const end = performance.now() + 60_000
  const probe = new Map<string, unknown>(Object.entries(PROBE))
  while (((await answer(probe)) === undefined) !== (outcome === 'answered')) {
    assert.ok(performance.now() < end, `never ${outcome}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Repeats a request until it is refused, and returns the refusal: the others' tokens arrive in the background. */
async function refusalOf({ answer }: RunningProcessor): Promise<unknown> {
  const end = performance.now() + 60_000
  while (performance.now() < end) {
    const refusal = await answer(REQUEST)
    if (refusal !== undefined) return refusal
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return assert.fail('never refused')
}
