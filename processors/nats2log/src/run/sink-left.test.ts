import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BusClient, waitFor } from '@llm-gateway/sdk'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import {
  connected,
  keepRecords,
  makeRecordStream,
  SUBJECT,
  untilAcknowledged,
  upTo,
} from '../stream/stream-under-test.ts'
import { allFailed, DELIVERED, type Failure, type SinkRecord, type Writer } from '../targets/writer.ts'
import { runningSink } from './running-sink-under-test.ts'
import type { SinkOptions } from './sink.ts'

// Rules: docs/reference/kept-records.md#records-that-fail-alone

const SINK = 'nats2log'
const BAD = 3
const WAIT_MS = 30_000

type Keep = BusClient['streams']['keep']

test('a left record that is refused stays while the bus takes no dead letter, and becomes one when the sink ends', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  const bus = await connected(t, server)
  let isTaken = false
  let tries = 0
  const keep: Keep = async (...letter) => {
    tries += 1
    return isTaken ? await bus.streams.keep(...letter) : { kind: 'failed', code: 'TEST' }
  }
  const target = memoryTarget({ code: 'HTTP_429', again: true })
  await using sink = await startSink(keepingBy(bus, keep), target.writer)
  await untilStreamIsRead({ server, bus, target })
  target.refuse({ code: 'HTTP_400', again: false })
  await until(() => tries > 0)
  isTaken = true
  await sink.end()
  const letter = await bus.streams.message('records_llm_refused', 1)
  assert.ok(letter.kind === 'found')
  assert.equal(numberOf(letter.value.bytes), BAD)
  assert.equal(sink.report.refused, 1)
})

test('a letter that the bus did not take once is written again while the sink ends', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  const bus = await connected(t, server)
  let tries = 0
  const keep: Keep = async (...letter) => {
    tries += 1
    return tries === 1 ? { kind: 'failed', code: 'TEST' } : await bus.streams.keep(...letter)
  }
  const target = memoryTarget({ code: 'HTTP_429', again: true })
  await using sink = await startSink(keepingBy(bus, keep), target.writer)
  await untilStreamIsRead({ server, bus, target })
  await sink.end()
  const letters = await bus.streams.state('records_llm_refused')
  assert.ok(letters.kind === 'found')
  assert.deepEqual([letters.value.last, sink.report.refused], [1, 1])
})

test('all records that a sink has when it ends become dead letters, several at a time', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  const bus = await connected(t, server)
  let running = 0
  const several = Promise.withResolvers<void>()
  const keep: Keep = async (...letter) => {
    running += 1
    if (running > 1) several.resolve()
    // A sink that wrote its letters one after another would wait here for ever.
    await several.promise
    return await bus.streams.keep(...letter)
  }
  let tries = 0
  const write: Writer['write'] = async (records) => {
    tries += 1
    return allFailed(records, { code: 'HTTP_503', again: true })
  }
  await using sink = await startSink(keepingBy(bus, keep), writerOf(write), { drainMs: 500 })
  for (const n of upTo(300)) bus.publish(SUBJECT, Buffer.from(JSON.stringify({ n })))
  await until(() => tries > 0)
  await sink.end()
  const letters = await bus.streams.state('records_llm_refused')
  assert.ok(letters.kind === 'found')
  assert.deepEqual([letters.value.last, sink.report.refused], [300, 300])
})

test('a new sink that starts with new records misses none while it writes those from before the stream', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  const bus = await connected(t, server)
  const written: SinkRecord[] = []
  const first = Promise.withResolvers<void>()
  const write: Writer['write'] = async (records) => {
    written.push(...records)
    await first.promise
    return DELIVERED
  }
  await using sink = await startSink(bus, writerOf(write), { start: { kind: 'now' }, drainMs: 500 })
  bus.publish(SUBJECT, Buffer.from(JSON.stringify({ n: 0 })))
  await until(() => written.length === 1)
  await makeRecordStream(server)
  // The target has not answered for the first record yet.
  await untilConsumer(bus)
  await keepRecords(bus, { from: 1, to: 10 })
  first.resolve()
  await untilAcknowledged(bus, SINK, 9)
  await sink.end()
  assert.deepEqual(
    written.map(({ bytes }) => numberOf(bytes)),
    upTo(10),
  )
})

async function untilConsumer(bus: BusClient): Promise<void> {
  const end = performance.now() + WAIT_MS
  for (let isThere = false; !isThere; ) {
    assert.ok(performance.now() < end)
    isThere = (await bus.streams.consumer('records_llm', SINK)).kind === 'found'
  }
}

type StreamScene = {
  readonly server: NatsServer
  readonly bus: BusClient
  readonly target: ReturnType<typeof memoryTarget>
}

/** Publishes ten records, then makes the stream with ten more. Resolves once the target has all but the bad one. */
async function untilStreamIsRead({ server, bus, target }: StreamScene): Promise<void> {
  for (const n of upTo(10)) bus.publish(SUBJECT, Buffer.from(JSON.stringify({ n })))
  await until(() => target.taken.size === 9)
  await makeRecordStream(server)
  await keepRecords(bus, { from: 10, to: 20 })
  await untilAcknowledged(bus, SINK, 10)
  assert.equal(target.taken.size, 19)
}

/** Makes a target that fails each batch with the bad record in the same way. */
function memoryTarget(failure: Failure) {
  let failing = failure
  const taken = new Set<number>()
  const write: Writer['write'] = async (records) => {
    const failed = records.filter((record) => numberOf(record.bytes) === BAD)
    for (const record of records) if (!failed.includes(record)) taken.add(numberOf(record.bytes))
    return { ...allFailed(failed, failing), apart: true }
  }
  const refuse = (other: Failure): void => {
    failing = other
  }
  return { writer: writerOf(write), taken, refuse }
}

function writerOf(write: Writer['write']): Writer {
  const batch = { records: 100, bytes: 1_000_000 }
  return { batch, concurrency: 1, open: async () => undefined, write, close: async () => undefined }
}

/** Returns a bus that keeps messages in its own way. */
function keepingBy(bus: BusClient, keep: Keep): BusClient {
  return {
    connected: bus.connected,
    closed: bus.closed,
    streams: { ...bus.streams, keep },
    subscribe: (options) => bus.subscribe(options),
    request: (...call) => bus.request(...call),
    publish: (...message) => bus.publish(...message),
    flush: () => bus.flush(),
    keyValue: (options) => bus.keyValue(options),
    close: () => bus.close(),
  }
}

async function startSink(bus: BusClient, writer: Writer, options: Partial<SinkOptions> = {}) {
  return await runningSink({
    bus,
    subject: SUBJECT,
    service: SINK,
    writer,
    logger: journalLogger().logger,
    limits: { records: 100, bytes: 1_000_000, ms: 10 },
    start: { kind: 'beginning' },
    now: Date.now,
    patience: { failures: 1_000, ms: 0 },
    ...options,
  })
}

function numberOf(bytes: Uint8Array): number {
  return JSON.parse(Buffer.from(bytes).toString()).n
}

async function until(isReached: () => boolean): Promise<void> {
  const end = performance.now() + WAIT_MS
  while (!isReached()) {
    assert.ok(performance.now() < end)
    await waitFor(10, undefined)
  }
}
