import assert from 'node:assert/strict'
import { cp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { SINKS_BUCKET } from '@llm-gateway/protocol'
import type { BusClient } from '@llm-gateway/sdk'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { type Program, startProgram, waitForLine } from '@llm-gateway/test/fake/program'
import {
  connected,
  keepRecords,
  makeRecordStream,
  temporaryFolder,
  untilAcknowledged,
} from '../stream/stream-under-test.ts'
import { startTarget } from '../targets/http/http-target-under-test.ts'

// Rules: docs/reference/kept-records.md#sinks

const MAIN = join(import.meta.dirname, '../main.ts')
const SINK = 'nats2log'
const PREFIXES = ['llm', 'other']
const BUCKET = { bucket: SINKS_BUCKET, maxBytes: 1024 * 1024, storage: 'file' } as const

test('sinks of two gateways on one bus have separate checkpoints', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  const bus = await connected(t, server)
  const sinks = await Promise.all(PREFIXES.map((prefix) => restSink(t, server, prefix)))
  for (const [index, { prefix, args, stream, subject }] of sinks.entries()) {
    await makeRecordStream(server, { name: stream, subjects: [subject] })
    await keepRecords(bus, { from: 0, to: 3 + index, subject })
    await using sink = await run(args)
    await untilAcknowledged(bus, SINK, 3 + index, stream)
    assert.deepEqual(await sink.stop(), { code: 0, signal: null }, prefix)
  }
  for (const [index, { prefix, args, stream, subject, taken }] of sinks.entries()) {
    // Without its consumer, only the stored checkpoint has the sink's progress.
    await removeConsumer(bus, stream)
    await keepRecords(bus, { from: 10, to: 11, subject })
    await using sink = await run(args)
    await untilAcknowledged(bus, SINK, 4 + index, stream)
    await sink.stop()
    assert.doesNotMatch(sink.lines.entries.join(), /WARN/, prefix)
    assert.deepEqual(taken(), [0, 1, 2, 3].slice(0, 3 + index).concat(10), prefix)
  }
})

test('a sink resumes from the checkpoint of an older version, but not from a checkpoint of another stream', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  const bus = await connected(t, server)
  const [mine, others] = [await restSink(t, server, 'llm'), await restSink(t, server, 'other')]
  for (const { stream, subject } of [mine, others]) {
    await makeRecordStream(server, { name: stream, subjects: [subject] })
    await keepRecords(bus, { from: 0, to: 5, subject })
  }
  const state = await bus.streams.state(mine.stream)
  assert.ok(state.kind === 'found')
  const older = JSON.stringify({ created: state.value.created, floor: 3 })
  const kept = await bus.keyValue(BUCKET).put(SINK, Buffer.from(older))
  assert.equal(kept.kind, 'written')
  for (const { args, stream, taken } of [mine, others]) {
    await using sink = await run(args)
    await untilAcknowledged(bus, SINK, 5, stream)
    await sink.stop()
    assert.doesNotMatch(sink.lines.entries.join(), /WARN/, stream)
    assert.deepEqual(taken(), stream === mine.stream ? [3, 4] : [0, 1, 2, 3, 4], stream)
  }
})

test('records that a bus stores in the place of records that it has lost are written', async (t) => {
  const [store, earlier] = [await temporaryFolder(t), await temporaryFolder(t)]
  await using server = await startNatsServer({ jetstream: store })
  const bus = await connected(t, server)
  const { args, stream, subject, taken } = await restSink(t, server, 'llm')
  await makeRecordStream(server, { name: stream, subjects: [subject] })
  await keepRecords(bus, { from: 0, to: 3, subject })
  await using sink = await run(args)
  await untilAcknowledged(bus, SINK, 3, stream)
  await server.stop()
  await cp(store, earlier, { recursive: true })
  await server.restart()
  await keepRecords(bus, { from: 3, to: 8, subject })
  await untilAcknowledged(bus, SINK, 8, stream)
  // As a bus that was killed before it had written its last records to the disk.
  await server.kill('SIGKILL')
  await rm(store, { recursive: true })
  await cp(earlier, store, { recursive: true })
  await server.restart()
  await keepRecords(bus, { from: 10, to: 30, subject })
  await untilAcknowledged(bus, SINK, 23, stream)
  await sink.stop()
  const numbers = Array.from({ length: 30 }, (_, number) => number)
  // Sorted, since a record whose first attempt met the restarting bus is stored behind later ones.
  assert.deepEqual(
    taken().sort((one, other) => one - other),
    numbers.filter((number) => number < 8 || number >= 10),
  )
})

async function removeConsumer(bus: BusClient, stream: string): Promise<void> {
  const removed = await bus.request(`$JS.API.CONSUMER.DELETE.${stream}.${SINK}`, new Uint8Array(), 60_000)
  assert.equal(removed.kind, 'reply')
}

/** Configures a sink whose target stores no checkpoints; `taken`: the `n` of the received records, in order. */
async function restSink(t: TestContext, server: NatsServer, prefix: string) {
  const target = await startTarget(t, () => ({ status: 200 }))
  const subject = `${prefix}.gl.logger`
  const file = join(await temporaryFolder(t), `${SINK}_config.json`)
  const service_bus = { hostname: server.address, token: server.token, topic_exact_logger: subject }
  const settings = { mode: 'rest_api_writer', rest_api_writer: { url: target.url }, service_bus, start: 'beginning' }
  await writeFile(file, JSON.stringify(settings))
  const linesOf = (body: Buffer): readonly string[] => body.toString().trim().split('\n')
  const taken = () => target.seen.flatMap(({ body }) => linesOf(body).map((line): number => JSON.parse(line).n))
  return { prefix, subject, stream: `records_${prefix}`, args: ['-o', file], taken }
}

async function run(args: readonly string[]): Promise<Program> {
  const sink = await startProgram({ command: process.execPath, args: [MAIN, ...args] })
  await waitForLine(sink, /sink initialized/)
  return sink
}
