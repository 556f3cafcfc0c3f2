import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { checkSinkConfig } from '@llm-gateway/conf'
import { type BusClient, waitFor } from '@llm-gateway/sdk'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { startProgram } from '@llm-gateway/test/fake/program'
import {
  connected,
  keepRecords,
  makeRecordStream,
  SUBJECT,
  temporaryFolder,
  untilAcknowledged,
  upTo,
} from '../stream/stream-under-test.ts'
import { chooseWriter } from '../targets/choose-writer.ts'
import { startTarget } from '../targets/http/http-target-under-test.ts'
import { runningSink } from './running-sink-under-test.ts'

// Rules: docs/reference/kept-records.md#records-that-fail-alone

const MAIN = join(import.meta.dirname, '../main.ts')
const SINK = 'nats2log'
const BAD = 3
const WAIT_MS = 30_000

const TARGETS = [
  ['one record a request', (url: string) => ({ mode: 'rest_api_writer', rest_api_writer: { url } })],
  ['lines', (url: string) => ({ mode: 'rest_api_writer', rest_api_writer: { url, batch_format: 'ndjson' } })],
  ['bulks', (url: string) => ({ mode: 'elastic_writer', elastic_writer: { url, index: 'x' } })],
] as const

for (const [name, settings] of TARGETS) {
  test(`a record that its target always answers with 429 keeps no other record from it: ${name}`, async (t) => {
    await using server = await startNatsServer({ jetstream: true })
    await makeRecordStream(server)
    const bus = await connected(t, server)
    const target = await fussyTarget(t)
    const args = await configured(t, server, settings(target.url))
    await keepRecords(bus, { from: 0, to: 200 })
    {
      await using sink = await startProgram({ command: process.execPath, args: [MAIN, ...args] })
      await until(() => target.taken().length === 199)
      await keepRecords(bus, { from: 200, to: 300 })
      await until(() => target.taken().length === 299)
      await untilUnacknowledged(bus, 1)
      assert.equal(await acknowledged(bus), BAD)
      await sink.stop()
    }
    target.takeAll()
    await using again = await startProgram({ command: process.execPath, args: [MAIN, ...args] })
    await untilAcknowledged(bus, SINK, 300)
    await again.stop()
    // nats-server 2.9 sends an acknowledged record again after a redelivery that nobody took.
    assert.deepEqual([...new Set(target.taken())].toSorted(byNumber), upTo(300))
  })
}

test('largest records that their target always answers with 429 keep no other record from it', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  await makeRecordStream(server)
  const bus = await connected(t, server)
  const text = 'x'.repeat(31 * 1024 * 1024)
  let taken = 0
  const target = await startTarget(t, ({ body }) => {
    if (body.length > text.length) return { status: 429 }
    taken += 1
    return { status: 201, body: '{}' }
  })
  const args = await configured(t, server, {
    mode: 'elastic_writer',
    elastic_writer: { url: target.url, index: 'x', bulk: false },
  })
  // More than a sink holds in its memory.
  await keepRecords(bus, { from: 0, to: 4, text })
  await keepRecords(bus, { from: 4, to: 204 })
  await using sink = await startProgram({ command: process.execPath, args: [MAIN, ...args] })
  await until(() => taken === 200)
  assert.equal(await acknowledged(bus), 0)
  await untilUnacknowledged(bus, 4)
  await sink.stop()
})

test('a record that fails while others are delivered becomes a dead letter, and none while the target is away', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  await makeRecordStream(server)
  const bus = await connected(t, server)
  const target = await fussyTarget(t)
  target.refuseAll()
  await using sink = await startSink(bus, target.url)
  await keepRecords(bus, { from: 0, to: 10 })
  await until(() => target.seen.length > 4)
  assert.deepEqual([sink.report.refused, await acknowledged(bus)], [0, 0])
  target.refuseBad()
  // Each of these records is delivered between two tries of the bad one.
  let next = 10
  while (sink.report.refused === 0) {
    await keepRecords(bus, { from: next, to: next + 1 })
    next += 1
    await until(() => sink.report.refused > 0 || target.taken().length === next - 1)
  }
  await untilAcknowledged(bus, SINK, next)
  assert.deepEqual(
    target.taken().toSorted(byNumber),
    upTo(next).filter((n) => n !== BAD),
  )
  const letter = await bus.streams.message('records_llm_refused', 1)
  assert.ok(letter.kind === 'found')
  assert.deepEqual(
    [JSON.parse(Buffer.from(letter.value.bytes).toString()).n, letter.value.header('Refused-Reason')],
    [BAD, 'HTTP_429'],
  )
  assert.equal(sink.report.refused, 1)
})

test('replicas of a sink count for themselves, and give up no other record than the one that fails alone', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  await makeRecordStream(server)
  const bus = await connected(t, server)
  const target = await fussyTarget(t)
  await using one = await startSink(bus, target.url)
  await using other = await startSink(bus, target.url)
  const refused = () => one.report.refused + other.report.refused
  let next = 0
  while (refused() === 0) {
    await keepRecords(bus, { from: next, to: next + 10 })
    next += 10
    await until(() => refused() > 0 || new Set(target.taken()).size === next - 1)
  }
  await untilAcknowledged(bus, SINK, next)
  assert.deepEqual(
    [...new Set(target.taken())].toSorted(byNumber),
    upTo(next).filter((n) => n !== BAD),
  )
  assert.equal(refused(), 1)
})

test('without a stream a record that fails alone is tried again beside others, and at the end', async (t) => {
  await using server = await startNatsServer()
  const bus = await connected(t, server)
  const target = await fussyTarget(t)
  await using sink = await startSink(bus, target.url)
  for (const n of upTo(20)) bus.publish(SUBJECT, Buffer.from(JSON.stringify({ n })))
  await until(() => target.taken().length === 19)
  target.takeAll()
  await sink.end()
  assert.deepEqual(target.taken().toSorted(byNumber), upTo(20))
})

test('a record that fails alone keeps a sink without a stream from none that appears, and is tried beside its records', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  const bus = await connected(t, server)
  const target = await fussyTarget(t)
  await using sink = await startSink(bus, target.url, { failures: 1_000, ms: 0 })
  await untilStreamIsRead({ server, bus, target })
  target.takeAll()
  // The pause of the record has an end.
  let next = 20
  while (!target.taken().includes(BAD)) {
    await keepRecords(bus, { from: next, to: next + 1 })
    next += 1
    await until(() => target.taken().includes(next - 1))
  }
  await untilAcknowledged(bus, SINK, next - 10)
  assert.deepEqual(target.taken().toSorted(byNumber), upTo(next))
  assert.equal(sink.report.refused, 0)
})

test('a record that failed alone before a stream appeared is tried again although no other comes, and counts as behind', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  const bus = await connected(t, server)
  const target = await fussyTarget(t)
  await using sink = await startSink(bus, target.url, { failures: 1_000, ms: 0 })
  await untilStreamIsRead({ server, bus, target })
  await until(() => sink.report.behindRecords === 1)
  target.takeAll()
  await until(() => target.taken().includes(BAD))
  await until(() => sink.report.behindRecords === 0)
})

test('a record that failed alone before a stream appeared becomes a dead letter when the sink ends', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  const bus = await connected(t, server)
  const target = await fussyTarget(t)
  await using sink = await startSink(bus, target.url, { failures: 1_000, ms: 0 })
  await untilStreamIsRead({ server, bus, target })
  await sink.end()
  const letter = await bus.streams.message('records_llm_refused', 1)
  assert.ok(letter.kind === 'found')
  assert.deepEqual(
    [JSON.parse(Buffer.from(letter.value.bytes).toString()).n, letter.value.header('Refused-Reason')],
    [BAD, 'EXIT'],
  )
})

type StreamScene = {
  readonly server: NatsServer
  readonly bus: BusClient
  readonly target: Awaited<ReturnType<typeof fussyTarget>>
}

/**
 * Publishes ten records, the bad one among them, then makes the stream with ten more. Resolves once the sink has sent all
 * others.
 */
async function untilStreamIsRead({ server, bus, target }: StreamScene): Promise<void> {
  for (const n of upTo(10)) bus.publish(SUBJECT, Buffer.from(JSON.stringify({ n })))
  await until(() => target.taken().length === 9)
  await makeRecordStream(server)
  await keepRecords(bus, { from: 10, to: 20 })
  await untilAcknowledged(bus, SINK, 10)
  assert.equal(target.taken().length, 19)
}

/** Starts a target that answers 429 to each request with the bad record. */
async function fussyTarget(t: TestContext) {
  let refuses = (numbers: readonly number[]): boolean => numbers.includes(BAD)
  const taken: number[] = []
  const { url, seen } = await startTarget(t, ({ body, url: path }) => {
    const numbers = [...body.toString().matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n))
    if (refuses(numbers)) return { status: 429 }
    taken.push(...numbers)
    const items = numbers.map(() => ({ create: { status: 201 } }))
    return path.includes('_bulk') ? { status: 200, body: JSON.stringify({ errors: false, items }) } : { status: 201 }
  })
  return {
    url,
    seen,
    taken: () => taken,
    takeAll: () => {
      refuses = () => false
    },
    refuseAll: () => {
      refuses = () => true
    },
    refuseBad: () => {
      refuses = (numbers) => numbers.includes(BAD)
    },
  }
}

async function configured(t: TestContext, server: NatsServer, settings: object): Promise<readonly string[]> {
  const file = join(await temporaryFolder(t), `${SINK}_config.json`)
  const service_bus = { hostname: server.address, token: server.token }
  await writeFile(file, JSON.stringify({ ...settings, service_bus }))
  return ['-o', file]
}

/** Starts a sink that gives a record up after two failures, or with another patience. */
async function startSink(bus: BusClient, url: string, patience = { failures: 2, ms: 0 }) {
  const { logger } = journalLogger()
  const file = { mode: 'rest_api_writer', rest_api_writer: { url, batch_format: 'ndjson' } }
  const check = checkSinkConfig(Buffer.from(JSON.stringify(file)), { environment: {} })
  assert.ok(check.kind === 'checked')
  const choice = await chooseWriter(check.config, { logger, now: Date.now })
  assert.ok(choice.kind === 'writer')
  return await runningSink({
    bus,
    subject: SUBJECT,
    service: SINK,
    writer: choice.writer,
    logger,
    limits: check.config.batch,
    start: { kind: 'beginning' },
    now: Date.now,
    patience,
  })
}

async function acknowledged(bus: BusClient): Promise<number> {
  const state = await bus.streams.consumer('records_llm', SINK)
  return state.kind === 'found' ? state.value.floor : 0
}

/** Waits until the bus waits for the acknowledgement of `count` records. */
async function untilUnacknowledged(bus: BusClient, count: number): Promise<void> {
  for (let pending = -1; pending !== count; ) {
    const reply = await bus.request(`$JS.API.CONSUMER.INFO.records_llm.${SINK}`, new Uint8Array(), WAIT_MS)
    assert.ok(reply.kind === 'reply')
    pending = JSON.parse(Buffer.from(reply.bytes).toString()).num_ack_pending
  }
}

async function until(isReached: () => boolean): Promise<void> {
  const end = performance.now() + WAIT_MS
  while (!isReached()) {
    assert.ok(performance.now() < end)
    await waitFor(10, undefined)
  }
}

function byNumber(one: number, other: number): number {
  return one - other
}
