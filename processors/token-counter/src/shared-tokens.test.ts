import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { busOptions, connectBus, type KeyValue } from '@llm-gateway/sdk'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { createCaps } from './caps.ts'
import { SharedTokens } from './shared-tokens.ts'

// Rules: docs/reference/processors.md#token-counter

const ROUTER = '/service/capped/'
const PERIOD = 120
const START = 1_763_690_400_000
const WINDOW = START / (PERIOD * 1_000)
const BUCKET = { bucket: 'llm_tokencounter', maxBytes: 1024 * 1024, storage: 'file', ttlMs: 240_000 } as const

test('two replicas share one count per router and window, and each window has its own', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  const [a, b] = [await replica(t, server, 'a'), await replica(t, server, 'b')]
  a.tokens.add(ROUTER, WINDOW, tokens(60))
  a.tokens.add(ROUTER, WINDOW, tokens(1))
  b.tokens.add(ROUTER, WINDOW, tokens(39))
  b.tokens.add(ROUTER, WINDOW + 1, tokens(7))
  await until(() => total(a) === 100 && total(b) === 100 && total(a, WINDOW + 1) === 7)
  assert.equal(total(a, WINDOW + 2), 0)
  assert.deepEqual(a.tokens.used('/other/', WINDOW), new Map())
})

test('added tokens count at once in their own replica, with and without the bus', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  const a = await replica(t, server, 'a')
  await server.kill('SIGSTOP')
  a.tokens.add(ROUTER, WINDOW, tokens(60))
  assert.equal(total(a), 60)
  server.kill('SIGCONT')
})

test('a count survives the restart of a replica and of all of them within the window', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  const first = await replica(t, server, 'first')
  first.tokens.add(ROUTER, WINDOW, tokens(60))
  // `close` writes the unwritten counts.
  await first.close()
  const second = await replica(t, server, 'second')
  assert.equal(total(second), 60)
  second.tokens.add(ROUTER, WINDOW, tokens(40))
  await second.close()
  await server.restart()
  assert.equal(total(await replica(t, server, 'third')), 100)
})

test('while the store is away each replica uses its own counts, which are merged when it is back', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  const [a, b] = [await replica(t, server, 'a'), await replica(t, server, 'b')]
  a.tokens.add(ROUTER, WINDOW, tokens(10))
  await until(() => total(b) === 10)
  await server.stop()
  a.tokens.add(ROUTER, WINDOW, tokens(20))
  b.tokens.add(ROUTER, WINDOW, tokens(30))
  await a.logged('used tokens could not be written to the key-value store')
  assert.deepEqual([total(a), total(b)], [30, 40])
  await server.restart()
  await until(() => total(a) === 60 && total(b) === 60)
  await a.logged('used tokens are written to the key-value store again')
})

test('counts are written again to a store that comes back empty', async (t) => {
  const port = await freePort()
  const before = await startNatsServer({ port, jetstream: true })
  const [a, b] = [await replica(t, before, 'a'), await replica(t, before, 'b')]
  a.tokens.add(ROUTER, WINDOW, tokens(10))
  await until(() => total(b) === 10)
  await before.close()
  await using after = await startNatsServer({ port, jetstream: true })
  const c = await replica(t, after, 'c')
  await until(() => total(c) === 10)
})

test('without JetStream a replica counts for itself', async (t) => {
  await using server = await startNatsServer()
  const a = await replica(t, server, 'a', { wait: false })
  a.tokens.add(ROUTER, WINDOW, tokens(60))
  a.tokens.add(ROUTER, WINDOW, tokens(40))
  await a.logged('used tokens could not be written to the key-value store')
  assert.equal(total(a), 100)
})

test('tokens of one replica make the other refuse until the window ends, and Retry-After says when that is', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  const [a, b] = [await replica(t, server, 'a'), await replica(t, server, 'b')]
  const [capsA, capsB] = [capsOf(a.tokens), capsOf(b.tokens)]
  assert.equal(capsA.book(ROUTER, tokens(99), START), undefined)
  await until(() => total(b) === 99)
  assert.equal(capsB.retryAfter(ROUTER, START), undefined)
  assert.equal(capsB.book(ROUTER, tokens(1), START + 1_000), 'total_tokens')
  await until(() => total(a) === 100)
  assert.equal(capsA.retryAfter(ROUTER, START + 30_000), 90)
  // The window is over.
  assert.equal(capsA.retryAfter(ROUTER, START + 120_000), undefined)
  assert.equal(capsB.book(ROUTER, tokens(100), START + 120_000), 'total_tokens')
  await until(() => total(a, WINDOW + 1) === 100)
  assert.equal(capsA.retryAfter(ROUTER, START + 120_000), 120)
})

test('keys and values that no token counter wrote are ignored', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  const a = await replica(t, server, 'a')
  const key = (name: string, router = ROUTER) => `${WINDOW} ${name} ${router}`
  const written = [
    ['__proto__', '{}'],
    [key('x'), 'not JSON'],
    [key('y'), '[1]'],
    [key('z'), '{"__proto__":{"total_tokens":5},"total_tokens":"5","prompt_tokens":-1,"completion_tokens":null}'],
    [key('other-router', '/open/'), '{"total_tokens":5}'],
    [key('counted'), '{"total_tokens":5}'],
  ] as const
  for (const [name, value] of written) assert.equal((await a.keyValue.put(name, Buffer.from(value))).kind, 'written')
  // The watch reports in order, so all earlier entries are received by now.
  await until(() => total(a) === 5)
  assert.deepEqual(a.tokens.used(ROUTER, WINDOW), new Map([['total_tokens', 5]]))
  assert.deepEqual(a.tokens.used('/open/', WINDOW), new Map())
})

test('past windows are forgotten, also while the store is away', () => {
  let now = START
  const puts: string[] = []
  const keyValue: KeyValue = {
    ...NOTHING,
    put: async (key) => {
      puts.push(key)
      return { kind: 'failed', error: 'unavailable' }
    },
  }
  const shared = sharedOf(keyValue, 'a', () => now)
  for (let past = 0; past < 1_000; past++, now += PERIOD * 1_000) shared.add(ROUTER, WINDOW + past, tokens(1))
  const kept = Array.from({ length: 1_000 }, (_, past) => totalOf(shared, WINDOW + past)).filter((count) => count > 0)
  assert.equal(kept.length, 2)
  assert.deepEqual(puts, [])
})

const NOTHING: KeyValue = {
  get: async () => ({ kind: 'missing' }),
  put: async () => ({ kind: 'failed', error: 'unavailable' }),
  update: async () => ({ kind: 'failed', error: 'unavailable' }),
  delete: async () => ({ kind: 'failed', error: 'unavailable' }),
  watch: () => ({ ready: Promise.resolve(), close: async () => undefined }),
}

function sharedOf(keyValue: KeyValue, name: string, now = () => START, { logger } = journalLogger()): SharedTokens {
  const routers = new Set([ROUTER])
  return new SharedTokens({ keyValue, replica: name, periodSeconds: PERIOD, routers, logger, now })
}

function capsOf(usedTokens: SharedTokens) {
  const tokenCaps = [{ router: ROUTER, fields: [{ field: 'total_tokens', value: 100 }] }]
  return createCaps({ tokenCaps, periodSeconds: PERIOD, usedTokens })
}

function tokens(count: number): ReadonlyMap<string, number> {
  return new Map([['total_tokens', count]])
}

function totalOf(shared: SharedTokens, window: number): number {
  return shared.used(ROUTER, window).get('total_tokens') ?? 0
}

function total({ tokens: shared }: { readonly tokens: SharedTokens }, window = WINDOW): number {
  return totalOf(shared, window)
}

/** Opens a replica on a connection of its own; resolves once it knows the other replicas' tokens. */
async function replica(t: TestContext, server: NatsServer, name: string, { wait = true } = {}) {
  const journal = journalLogger()
  const place = busOptions({ GATEWAY_HOST: server.address, NATS_TOKEN: server.token })
  assert.ok(place)
  const bus = await connectBus({ ...place, name, logger: journal.logger, random: () => 0 })
  assert.ok(bus)
  const keyValue = bus.keyValue(BUCKET)
  const shared = sharedOf(keyValue, name, () => START, journal)
  if (wait) await shared.ready
  const close = async (): Promise<void> => {
    await shared.close()
    await bus.close()
  }
  t.after(close)
  return { tokens: shared, keyValue, logged: journal.logged, close }
}

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 60_000
  while (!holds()) {
    assert.ok(performance.now() < end, 'never so')
    // Polls, since no event reports the condition.
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
