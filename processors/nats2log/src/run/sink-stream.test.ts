import assert from 'node:assert/strict'
import { mkdir, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { type Program, startProgram, waitForLine } from '@llm-gateway/test/fake/program'
import {
  connected,
  keepRecords,
  makeRecordStream,
  numbersIn,
  SUBJECT,
  temporaryFolder,
  untilAcknowledged,
  upTo,
} from '../stream/stream-under-test.ts'

// Rules: docs/reference/kept-records.md#sinks, docs/reference/kept-records.md#message-ids

const MAIN = join(import.meta.dirname, '../main.ts')
const SINK = 'nats2file'

test('records published while the sink was away are written once when it starts', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  await makeRecordStream(server)
  const bus = await connected(t, server)
  const { filename, args } = await fileSink(t, server)
  await keepRecords(bus, { from: 0, to: 700 })
  await using first = await run(args)
  await waitForLine(first, /sink initialized/)
  await untilAcknowledged(bus, SINK, 700)
  assert.deepEqual(await first.stop(), { code: 0, signal: null })
  await keepRecords(bus, { from: 700, to: 900 })
  await using second = await run(args)
  await untilAcknowledged(bus, SINK, 900)
  await second.stop()
  assert.deepEqual(await numbersIn(filename), upTo(900))
  assert.doesNotMatch(second.lines.entries.join(), /WARN/)
})

test('a sink without a consumer counts as started and writes once it gets one', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  await makeRecordStream(server, { max_consumers: 1 })
  const bus = await connected(t, server)
  await bus.streams.makeConsumer('records_llm', { name: 'other', start: { kind: 'beginning' } })
  await keepRecords(bus, { from: 0, to: 20 })
  const { filename, args } = await fileSink(t, server)
  await using sink = await run(args)
  await waitForLine(sink, /sink initialized/)
  await waitForLine(sink, /bus makes no consumer for this sink/)
  await using client = await connectBusClient(server)
  await client.request('$JS.API.CONSUMER.DELETE.records_llm.other', new Uint8Array())
  await untilAcknowledged(bus, SINK, 20)
  await sink.stop()
  assert.deepEqual(await numbersIn(filename), upTo(20))
})

test('a sink that is killed again and again loses nothing and writes nothing twice', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  await makeRecordStream(server)
  const bus = await connected(t, server)
  const { filename, args } = await fileSink(t, server)
  const count = 6_000
  const publishing = keepRecords(bus, { from: 0, to: count, text: 'x'.repeat(2_000) })
  for (const share of [0.05, 0.3, 0.7]) {
    await using sink = await run(args)
    await waitForLine(sink, /sink initialized/)
    const end = performance.now() + 60_000
    // The sink is probably writing at this moment.
    while ((await sequenceOf(bus)) < share * count && performance.now() < end) await new Promise(setImmediate)
    sink.kill('SIGKILL')
    await sink.exited
  }
  await publishing
  await using last = await run(args)
  await untilAcknowledged(bus, SINK, count)
  await last.stop()
  const numbers = await numbersIn(filename)
  assert.equal(numbers.length, count)
  assert.deepEqual(new Set(numbers), new Set(upTo(count)))
})

test('a repeat outside the stream’s window is dropped by the sink, after a kill too', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  await makeRecordStream(server, { duplicate_window: 100e6 })
  const bus = await connected(t, server)
  const { filename, args } = await fileSink(t, server)
  {
    await using sink = await run(args)
    await waitForLine(sink, /sink initialized/)
    await keepRecords(bus, { from: 0, to: 50 })
    await untilAcknowledged(bus, SINK, 50)
    sink.kill('SIGKILL')
    await sink.exited
  }
  let last = 50
  while (last === 50) {
    // The stream itself drops repeats until its window is over.
    await keepRecords(bus, { from: 0, to: 50 })
    const state = await bus.streams.state('records_llm')
    if (state.kind === 'found') last = state.value.last
  }
  await using sink = await run(args)
  await untilAcknowledged(bus, SINK, last)
  await sink.stop()
  assert.deepEqual(await numbersIn(filename), upTo(50))
})

test('without a stream the sink logs once and writes published records; it switches when the stream appears', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  const bus = await connected(t, server)
  const { filename, args } = await fileSink(t, server)
  await using sink = await run(args)
  await waitForLine(sink, /sink initialized/)
  for (let n = 0; n < 10; n++) bus.publish(SUBJECT, Buffer.from(JSON.stringify({ n })))
  await waitForLine(sink, /bus keeps no records.*NO_STREAM|NO_STREAM.*bus keeps no records/)
  await makeRecordStream(server)
  await keepRecords(bus, { from: 10, to: 20 })
  await waitForLine(sink, /records come from the stream/)
  await untilAcknowledged(bus, SINK, 10)
  await sink.stop()
  assert.deepEqual(await numbersIn(filename), upTo(20))
  assert.equal(sink.lines.entries.filter((line) => line.includes('WARN')).length, 1)
})

test('a killed bus and a failing target lose no record', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  await makeRecordStream(server)
  const bus = await connected(t, server)
  const { filename, args } = await fileSink(t, server)
  await mkdir(filename)
  await using sink = await run(args)
  await keepRecords(bus, { from: 0, to: 100 })
  await waitForLine(sink, /records wait for the target/)
  await server.kill('SIGKILL')
  await waitForLine(sink, /bus disconnected/)
  await server.restart()
  await waitForLine(sink, /bus reconnected/)
  await rmdir(filename)
  await keepRecords(bus, { from: 100, to: 200 })
  await untilAcknowledged(bus, SINK, 200)
  await sink.stop()
  const numbers = await numbersIn(filename)
  assert.equal(numbers.length, 200)
  assert.deepEqual(new Set(numbers), new Set(upTo(200)))
})

test('a sink whose target is away keeps no other sink from its records', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  await makeRecordStream(server)
  const bus = await connected(t, server)
  const stuck = await fileSink(t, server, 'stuck')
  const free = await fileSink(t, server)
  await mkdir(stuck.filename)
  await using first = await run(stuck.args)
  await using second = await run(free.args)
  await keepRecords(bus, { from: 0, to: 3_000, text: 'x'.repeat(20_000) })
  await untilAcknowledged(bus, SINK, 3_000)
  await second.stop()
  assert.deepEqual(await numbersIn(free.filename), upTo(3_000))
  await waitForLine(first, /records wait for the target/)
})

async function sequenceOf(bus: Awaited<ReturnType<typeof connected>>): Promise<number> {
  const state = await bus.streams.consumer('records_llm', SINK)
  return state.kind === 'found' ? state.value.floor : 0
}

async function run(args: readonly string[]): Promise<Program> {
  return await startProgram({ command: process.execPath, args: [MAIN, ...args] })
}

async function fileSink(t: TestContext, server: NatsServer, name = SINK) {
  const folder = await temporaryFolder(t)
  const filename = join(folder, 'records.jsonl')
  const file = join(folder, `${name}_config.json`)
  const service_bus = { hostname: server.address, token: server.token }
  await writeFile(file, JSON.stringify({ mode: 'file_writer', file_writer: { filename }, service_bus }))
  return { filename, args: ['-o', file] }
}
