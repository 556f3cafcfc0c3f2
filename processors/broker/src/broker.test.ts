import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { AnswerText, type KeyValue, type KeyValueOptions } from '@llm-gateway/sdk'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { Registry } from 'prom-client'
import { broker } from './broker.ts'
import { FakeKeyValue } from './key-value-under-test.ts'
import { seededRandom } from './seeded-random-under-test.ts'

// Rules: docs/reference/processors.md#broker

const HOUR_MS = 3_600_000
const POOL = ['/pool/gpt35turbo/', '/pool/gpt4/', '/pool/dud/'] as const

type SceneOptions = {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly keyValue?: KeyValue
  readonly prefix?: string
}

async function scene(
  context: TestContext,
  { settings = {}, keyValue = new FakeKeyValue(), prefix }: SceneOptions = {},
) {
  const clock = { now: HOUR_MS }
  const { logger, lines } = journalLogger()
  const metrics = new Registry()
  const buckets: KeyValueOptions[] = []
  const definition = broker('0.0.0', { now: () => clock.now, random: seededRandom(7) })
  const running = await definition.create(definition.settings.parse(settings), {
    environment: { BUS_PREFIX: prefix },
    logger,
    metrics,
    signal: new AbortController().signal,
    keyValue: (options) => {
      buckets.push(options)
      return keyValue
    },
  })
  context.after(async () => await running.close?.())
  const send = async (message: Readonly<Record<string, unknown>>) => {
    const answer = await running.answer(new Map(Object.entries(message)))
    assert.ok(!(answer instanceof AnswerText))
    return answer
  }
  const call = async (pool = '/pool/'): Promise<string> => String((await send({ gl_path: pool }))?.gl_path)
  const fail = async (member: string) =>
    await send({ gl_path: member, inbound_status_code: 503, egress_status_code: 503 })
  const chosen = async (calls: number): Promise<ReadonlySet<string>> => {
    const members = new Set<string>()
    for (let count = 0; count < calls; count++) members.add(await call())
    return members
  }
  return { clock, lines, metrics, buckets, send, call, fail, chosen }
}

test('calls go to all three, after a failure to two, after DISABLED_TIME to all three', async (context) => {
  const { clock, chosen, fail } = await scene(context)
  assert.deepEqual(await chosen(100), new Set(POOL))
  assert.equal(await fail('/pool/dud/'), undefined)
  assert.deepEqual(await chosen(100), new Set(['/pool/gpt35turbo/', '/pool/gpt4/']))
  clock.now += 10 * 60_000 - 1
  assert.deepEqual(await chosen(100), new Set(['/pool/gpt35turbo/', '/pool/gpt4/']))
  clock.now += 1
  assert.deepEqual(await chosen(100), new Set(POOL))
})

test('with all members disabled each call still gets a member, in the order of their failures', async (context) => {
  const { clock, call, fail, chosen } = await scene(context)
  for (const member of ['/pool/gpt4/', '/pool/dud/', '/pool/gpt35turbo/']) {
    await fail(member)
    clock.now += 1_000
  }
  assert.deepEqual(await chosen(20), new Set(['/pool/gpt4/']))
  // The member fails again, so another member was disabled first.
  await fail('/pool/gpt4/')
  assert.equal(await call(), '/pool/dud/')
  await fail('/pool/dud/')
  assert.equal(await call(), '/pool/gpt35turbo/')
})

test('a router that fails is left out of every pool that has it', async (context) => {
  const pools = [
    { path: '/pool/', members: ['/a/', '/b/'] },
    { path: '/pool/large/', members: ['/b/', '/c/'] },
  ]
  const { call, fail, lines } = await scene(context, { settings: { pools, disabled_time_minutes: '0.5' } })
  await fail('/b/')
  assert.deepEqual([await call('/pool/'), await call('/pool/large/')], ['/a/', '/c/'])
  const until = '1970-01-01T01:00:30.000Z'
  const fields = { member: '/b/', until, reason: 'server_error' }
  assert.deepEqual(
    lines.entries.map((line) => line.fields),
    [
      { pool: '/pool/', ...fields },
      { pool: '/pool/large/', ...fields },
    ],
  )
})

test('changes of a member’s state are logged and counted', async (context) => {
  const { clock, lines, metrics, call, fail, send } = await scene(context)
  const first = await call()
  await fail('/pool/dud/')
  await send({
    gl_path: '/pool/dud/',
    egress_status_code: 502,
    error: [{ name: 'outbound', details: 'UPSTREAM_REFUSED' }],
  })
  await fail('/somewhere/')
  assert.deepEqual(await values(metrics, 'llm_broker_member_enabled'), {
    '/pool/ /pool/gpt35turbo/': 1,
    '/pool/ /pool/gpt4/': 1,
    '/pool/ /pool/dud/': 0,
  })
  assert.deepEqual(await values(metrics, 'llm_broker_chosen_total'), { [`/pool/ ${first}`]: 1 })
  const failures = { '/pool/dud/ server_error': 1, '/pool/dud/ connection': 1 }
  assert.deepEqual(await values(metrics, 'llm_broker_failures_total'), failures)
  clock.now += 10 * 60_000
  const { '/pool/ /pool/dud/': dud } = await values(metrics, 'llm_broker_member_enabled')
  assert.equal(dud, 1)
  assert.deepEqual(
    lines.entries.map(({ level, message }) => `${level} ${message}`),
    ['INFO sub-router disabled', 'INFO sub-router enabled'],
  )
  assert.deepEqual(lines.entries[1]?.fields, { pool: '/pool/', member: '/pool/dud/' })
})

test('a starting broker reads the shared state before it chooses', async (context) => {
  const keyValue = new FakeKeyValue()
  const until = HOUR_MS + 60_000
  await keyValue.put('/pool/dud/', Buffer.from(JSON.stringify({ until, reason: 'timeout' })))
  const { promise, resolve } = Promise.withResolvers<void>()
  const watch: KeyValue['watch'] = (changed) => {
    const late = promise.then(() => keyValue.watch(changed))
    return { ready: late.then((inner) => inner.ready), close: async () => await (await late).close() }
  }
  const slow: KeyValue = {
    get: keyValue.get,
    put: keyValue.put,
    update: keyValue.update,
    delete: keyValue.delete,
    watch,
  }
  const { chosen } = await scene(context, { keyValue: slow })
  const choosing = chosen(100)
  resolve()
  assert.deepEqual(await choosing, new Set(['/pool/gpt35turbo/', '/pool/gpt4/']))
})

test('without a store the first call does not wait', async (context) => {
  const away = async () => ({ kind: 'failed', error: 'unavailable' }) as const
  const never = { ready: new Promise<void>(() => undefined), close: async () => undefined }
  const keyValue: KeyValue = { get: away, put: away, update: away, delete: away, watch: () => never }
  const { chosen, fail } = await scene(context, { keyValue })
  assert.deepEqual(await chosen(100), new Set(POOL))
  await fail('/pool/gpt4/')
  assert.deepEqual(await chosen(100), new Set(['/pool/gpt35turbo/', '/pool/dud/']))
})

test('the bucket is in a file, small, and named after the prefix of the bus', async (context) => {
  const { buckets } = await scene(context, { prefix: 'team.a' })
  assert.deepEqual(buckets, [{ bucket: 'team_a_broker', maxBytes: 4 * 1024 * 1024, storage: 'file' }])
})

/** Returns a metric's values by its labels' values. */
async function values(metrics: Registry, name: string): Promise<Readonly<Record<string, number>>> {
  const metric = (await metrics.getMetricsAsJSON()).find((shown) => shown.name === name)
  const series = metric?.values ?? []
  return Object.fromEntries(series.map(({ labels, value }) => [Object.values(labels).join(' '), value]))
}
