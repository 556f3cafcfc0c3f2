import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { overtakenKey, readOvertaken, SINKS_BUCKET } from '@llm-gateway/protocol'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { type Program, startProgram, waitForLine } from '@llm-gateway/test/fake/program'
import {
  connected,
  keepRecords,
  makeRecordStream,
  numbersIn,
  temporaryFolder,
  untilAcknowledged,
  upTo,
} from '../stream/stream-under-test.ts'
import { startTarget } from '../targets/http/http-target-under-test.ts'

// Rules: docs/reference/kept-records.md#sinks

const SINK = 'nats2log'

test('a sink that missed dropped records logs and counts them and continues', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  await makeRecordStream(server, { max_msgs: 100 })
  const bus = await connected(t, server)
  const sink = await fileSink(t, server)
  await using first = await run(sink.args)
  await keepRecords(bus, { from: 0, to: 50 })
  await untilAcknowledged(bus, SINK, 50)
  await first.stop()
  const notes = bus.keyValue({ bucket: SINKS_BUCKET, maxBytes: 1024 * 1024, storage: 'file' })
  let missed = 0
  // Two rounds: the second finds the note of the first.
  for (const end of [350, 700]) {
    await keepRecords(bus, { from: end === 350 ? 50 : 350, to: end })
    await using again = await run(sink.args)
    const line = JSON.parse(await waitForLine(again, /dropped by the stream/))
    const from = end === 350 ? 51 : 351
    assert.deepEqual([line.level, line.from, line.to, line.count], ['WARN', from, end - 100, end - 100 - from + 1])
    await untilAcknowledged(bus, SINK, end)
    const text = await (await fetch(`${sink.url}/metrics`)).text()
    assert.match(text, new RegExp(`overtaken_total\\{sink="nats2log"\\} ${line.count}\n`))
    assert.match(text, /delivered_total\{sink="nats2log"\} 100\n/)
    assert.equal((await fetch(`${sink.url}/readyz`)).status, 200)
    await again.stop()
    const noted = await notes.get(overtakenKey('records_llm'))
    const note = noted.kind === 'found' ? readOvertaken(noted.entry.value).get(SINK) : undefined
    missed += line.count
    assert.deepEqual([note?.records, note?.to], [missed, line.to])
  }
  const lost = (n: number) => (n >= 50 && n < 250) || (n >= 350 && n < 600)
  assert.deepEqual(
    await numbersIn(sink.filename),
    upTo(700).filter((n) => !lost(n)),
  )
})

test('a stream that was made anew is logged and read from its beginning', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  await makeRecordStream(server)
  const bus = await connected(t, server)
  const sink = await fileSink(t, server)
  await using program = await run(sink.args)
  await keepRecords(bus, { from: 0, to: 20 })
  await untilAcknowledged(bus, SINK, 20)
  const removed = await bus.request('$JS.API.STREAM.DELETE.records_llm', new Uint8Array(), 60_000)
  assert.equal(removed.kind, 'reply')
  await makeRecordStream(server)
  await keepRecords(bus, { from: 20, to: 40 })
  await waitForLine(program, /stream was deleted and made again/)
  await untilAcknowledged(bus, SINK, 20)
  await program.stop()
  assert.deepEqual(await numbersIn(sink.filename), upTo(40))
})

const STARTS: readonly (readonly [string, readonly number[]])[] = [
  ['beginning', [0, 1, 2, 3]],
  ['now', [2, 3]],
  ['1h', [0, 1, 2, 3]],
  ['9999999d', [0, 1, 2, 3]],
]
test('a new sink starts from the beginning, from now, or from a while ago', async (t) => {
  for (const [start, numbers] of STARTS) {
    await using server = await startNatsServer({ jetstream: true })
    await makeRecordStream(server)
    const bus = await connected(t, server)
    await keepRecords(bus, { from: 0, to: 2 })
    const sink = await fileSink(t, server, { start })
    await using program = await run(sink.args)
    await waitForLine(program, /sink initialized/)
    await keepRecords(bus, { from: 2, to: 4 })
    await untilAcknowledged(bus, SINK, 4)
    await program.stop()
    assert.deepEqual(await numbersIn(sink.filename), numbers, start)
  }
})

test('a record that the target refuses for good becomes a dead letter: listed, shown, sent again', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  await makeRecordStream(server)
  const bus = await connected(t, server)
  const taken: string[] = []
  let fussy = true
  const target = await startTarget(t, ({ body }) => {
    const refused = fussy && body.includes('"n":1')
    if (!refused) taken.push(...body.toString().trim().split('\n'))
    return { status: refused ? 422 : 200 }
  })
  const sink = await fileSink(t, server, { mode: 'rest_api_writer', rest_api_writer: { url: target.url } })
  await using program = await run(sink.args)
  await keepRecords(bus, { from: 0, to: 3 })
  await untilAcknowledged(bus, SINK, 3)
  await waitForLine(program, /records refused.*HTTP_422|HTTP_422.*records refused/)
  const [letter] = await command(sink.args, ['list'])
  const { number, reason, id } = JSON.parse(letter ?? '')
  assert.deepEqual([number, reason, id], [1, 'HTTP_422', 'GATEWAY1-1-1'])
  assert.deepEqual(await command(sink.args, ['show', '1']), ['{"n":1,"text":""}'])
  assert.deepEqual(await command(sink.args, ['send', '1'], 1), ['{"number":1,"sent":false,"reason":"HTTP_422"}'])
  fussy = false
  assert.deepEqual(await command(sink.args, ['send', 'all']), ['{"number":1,"sent":true}'])
  assert.deepEqual(await command(sink.args, ['list']), [])
  assert.deepEqual(await command(sink.args, ['show', '1'], 1), ['{"number":1,"reason":"ABSENT"}'])
  assert.deepEqual(taken.toSorted(), ['{"n":0,"text":""}', '{"n":1,"text":""}', '{"n":2,"text":""}'])
})

test('a refused record without room as a dead letter is logged, and the records behind it are delivered', async (t) => {
  const text = 'x'.repeat(20 * 1024 * 1024)
  await using server = await startNatsServer({ jetstream: true, jetstreamExtra: 'max_file: 100MB' })
  await makeRecordStream(server, { max_bytes: 64 * 1024 * 1024 })
  const bus = await connected(t, server)
  let taken = 0
  const target = await startTarget(t, ({ body }) => {
    const isRefused = body.length > text.length
    if (!isRefused) taken += body.toString().trim().split('\n').length
    return { status: isRefused ? 422 : 200 }
  })
  const sink = await fileSink(t, server, { mode: 'rest_api_writer', rest_api_writer: { url: target.url } })
  await using program = await run(sink.args)
  await keepRecords(bus, { from: 0, to: 1, text })
  await keepRecords(bus, { from: 1, to: 11 })
  const { level, id, sequence, code } = JSON.parse(await waitForLine(program, /refused record lost/))
  assert.deepEqual([level, id, sequence, code], ['ERROR', 'GATEWAY1-1-0', 1, 'HTTP_422'])
  await untilAcknowledged(bus, SINK, 11)
  assert.equal(taken, 10)
})

test('the dead-letter command prints its usage', async () => {
  for (const words of [
    ['-o', 'x', 'send', 'none'],
    ['-o', 'x', 'list', '1'],
  ]) {
    const [line] = await command([], words, 1)
    assert.match(line ?? '', /^usage: /, words.join(' '))
  }
})

async function command(args: readonly string[], words: readonly string[], code = 0): Promise<readonly string[]> {
  const main = join(import.meta.dirname, '../dead-letters.ts')
  const program = await startProgram({ command: process.execPath, args: [main, ...args, ...words] })
  assert.deepEqual(await program.exited, { code, signal: null }, program.lines.entries.join('\n'))
  return program.lines.entries
}

async function run(args: readonly string[]): Promise<Program> {
  const main = join(import.meta.dirname, '../main.ts')
  return await startProgram({ command: process.execPath, args: [main, ...args] })
}

async function fileSink(t: TestContext, server: NatsServer, settings: object = {}) {
  const folder = await temporaryFolder(t)
  const filename = join(folder, 'records.jsonl')
  const file = join(folder, `${SINK}_config.json`)
  const admin_port = await freePort()
  const service_bus = { hostname: server.address, token: server.token }
  const text = { mode: 'file_writer', file_writer: { filename }, service_bus, admin_port, ...settings }
  await writeFile(file, JSON.stringify(text))
  return { filename, args: ['-o', file], url: `http://127.0.0.1:${admin_port}` }
}
