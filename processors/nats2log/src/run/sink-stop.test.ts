import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { checkSinkConfig } from '@llm-gateway/conf'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { listenUntilEnd } from '@llm-gateway/test/fake/listen'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import {
  connected,
  keepRecords,
  makeRecordStream,
  untilAcknowledged,
  untilDelivered,
  upTo,
} from '../stream/stream-under-test.ts'
import { runSink } from './run-sink.ts'

// Rules: docs/reference/kept-records.md#sinks

const SINK = 'nats2log'

test('a sink that ends while its target has a batch gives other records to its replica, and not those of the batch', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  await makeRecordStream(server)
  const bus = await connected(t, server)
  const target = await startSlowTarget(t)
  const first = startSink(server, target.url)
  await keepRecords(bus, { from: 0, to: 20 })
  await target.until(() => target.taken.length > 0)
  const second = startSink(server, target.url)
  await second.logged('sink initialized')
  first.stop.abort()
  await keepRecords(bus, { from: 20, to: 40 })
  await target.until(() => upTo(40).every((n) => target.taken.includes(n)))
  target.answer()
  assert.equal(await first.ended, 0)
  await untilAcknowledged(bus, SINK, 40)
  second.stop.abort()
  assert.equal(await second.ended, 0)
  assert.deepEqual(
    target.taken.toSorted((one, other) => one - other),
    upTo(40),
  )
})

test('a sink that is asked to end while records wait for their batch to fill does not wait for it', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  await makeRecordStream(server)
  const bus = await connected(t, server)
  const target = await startSlowTarget(t)
  const sink = startSink(server, target.url, { records: 5_000, ms: 60_000 })
  await keepRecords(bus, { from: 0, to: 3 })
  await untilDelivered(bus, SINK)
  sink.stop.abort()
  assert.equal(await sink.ended, 0)
  assert.deepEqual(target.taken, [])
})

function startSink({ address: hostname, token }: NatsServer, url: string, batch: object = {}) {
  const { logger, logged } = journalLogger()
  const stop = new AbortController()
  const file = { mode: 'rest_api_writer', rest_api_writer: { url, batch_format: 'ndjson' }, batch }
  const check = checkSinkConfig(Buffer.from(JSON.stringify({ ...file, service_bus: { hostname, token } })), {
    environment: {},
  })
  assert.ok(check.kind === 'checked')
  const program = { config: check.config, environment: {}, logger, now: Date.now, signal: stop.signal }
  return { stop, logged, ended: runSink({ ...program, service: SINK }) }
}

/** Starts a target that takes batches at once; the answer to the first one comes with `answer()`. */
async function startSlowTarget(t: TestContext) {
  const taken: number[] = []
  let changed = Promise.withResolvers<void>()
  const first = Promise.withResolvers<void>()
  let requests = 0
  const server = createServer(async (request, response) => {
    const lines = Buffer.concat(await request.toArray())
      .toString()
      .split('\n')
    taken.push(...lines.filter(Boolean).map((line) => Number(JSON.parse(line).n)))
    requests += 1
    const isFirst = requests === 1
    changed.resolve()
    changed = Promise.withResolvers<void>()
    if (isFirst) await first.promise
    response.end()
  })
  const port = await listenUntilEnd(t, server)
  const until = async (isReached: () => boolean): Promise<void> => {
    while (!isReached()) await changed.promise
  }
  return { url: `http://127.0.0.1:${port}`, taken, until, answer: () => first.resolve() }
}
