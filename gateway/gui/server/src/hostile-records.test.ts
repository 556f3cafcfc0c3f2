import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '@llm-gateway/conf'
import { connectBus } from '@llm-gateway/sdk'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import { startScene } from './fixture/interface-scene.ts'
import { watchTurns } from './fixture/watch-turns.ts'

/** Longest turn of the main thread, in CPU time. A record of 8 MiB is scanned in one turn of some 30 ms. */
const LONGEST_TURN_MS = 100
const PAGES = 40
/** The time in milliseconds for the web interface to connect to the bus. */
const FOUND_MS = 30_000
const headers = { authorization: 'Bearer gui-secret-5c2f81' }

/** Payloads that any caller can send: many small objects, or one long text. */
const SHALLOW = (bytes: number): string => `[${'{},'.repeat(bytes / 3)}{}]`
const TEXT = (bytes: number): string => `"${'y'.repeat(bytes)}"`

async function busWithRecords(nats: NatsServer, payloads: readonly string[]) {
  const { hostname, port, token = '' } = nats
  const logger = createLogger({ service: 'test', write: () => undefined })
  const place = { address: { hostname, port }, credentials: { kind: 'token', token }, logger } as const
  const bus = await connectBus({ ...place, name: 'test' })
  assert.ok(bus)
  const stream = { name: 'records_llm', subject: 'llm.gl.logger', maxBytes: 256 * 1024 * 1024, maxAgeMs: 60 * 60_000 }
  assert.equal((await bus.streams.makeStream(stream)).kind, 'found')
  const keep = async (payload: string): Promise<void> => {
    const side = `"gl_path":"/x/","ingress_payload":${payload},"egress_payload":${payload.length > 1e6 ? 1 : payload}`
    const bytes = Buffer.from(`{"session_id":"s","request":{${side}},"response":{"egress_status_code":200}}`)
    assert.equal((await bus.streams.keep('llm.gl.logger', bytes, {})).kind, 'found')
  }
  for (const payload of payloads) await keep(payload)
  return { keep, [Symbol.asyncDispose]: () => bus.close() }
}

test('records of callers that are costly to read hold up nobody who opens or searches them', async (t) => {
  await using nats = await startNatsServer({ jetstream: true })
  const many = Array.from({ length: 300 }, (_, index) => (index % 2 === 0 ? TEXT(30_000) : SHALLOW(30_000)))
  await using _bus = await busWithRecords(nats, [SHALLOW(3_900_000), TEXT(3_900_000), '1', ...many])
  await using scene = await startScene({ nats })
  const paths = ['transactions/s1', 'transactions/s2', 'transactions?text=Zzzz', 'transactions?limit=200&before=300']
  await untilFound(() => scene.send({ path: '/api/v1/transactions/s3', headers }))
  for (const path of paths)
    await t.test(path, () =>
      assertShortTurns(LONGEST_TURN_MS, async () => {
        using turns = watchTurns()
        const { status, text } = await scene.send({ path: `/api/v1/${path}`, headers })
        const { longestMs } = turns
        assert.equal(status, 200)
        if (path === 'transactions/s1') assert.match(text, /"record":null,"beginning":"\{/)
        if (path === 'transactions/s2') assert.ok(text.length > 3_900_000)
        return longestMs
      }),
    )
})

async function untilFound(send: () => Promise<{ readonly status: number }>): Promise<void> {
  const end = performance.now() + FOUND_MS
  while ((await send()).status !== 200) assert.ok(performance.now() < end, 'the record was not found in time')
}

test(`a large record is read once for ${PAGES} pages that show transactions as they end`, async () => {
  await assertShortTurns(LONGEST_TURN_MS * 2, longestTurnOfPages)
})

async function longestTurnOfPages(): Promise<number> {
  await using nats = await startNatsServer({ jetstream: true })
  await using bus = await busWithRecords(nats, ['1'])
  await using scene = await startScene({ nats })
  const counts: number[] = []
  const pages = Array.from({ length: PAGES }, (_, page) =>
    scene.events('/api/v1/transactions/live', undefined, (all) => {
      const rows = all.flatMap(({ transactions }) => (Array.isArray(transactions) ? transactions : []))
      counts[page] = rows.length
      return rows.some(({ bytes }) => bytes > 8_000_000)
    }),
  )
  const arePagesOpen = () => counts.filter((count) => count > 0).length === PAGES
  while (!arePagesOpen()) await bus.keep('1')
  using turns = watchTurns()
  await bus.keep(SHALLOW(8 * 1024 * 1024))
  await Promise.all(pages)
  return turns.longestMs
}
