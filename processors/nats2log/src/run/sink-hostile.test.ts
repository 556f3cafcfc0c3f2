import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Journal } from '@llm-gateway/test/fake/journal'
import { listen } from '@llm-gateway/test/fake/listen'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { type Program, startProgram, waitForLine } from '@llm-gateway/test/fake/program'
import { headOf, manyNames, publishHead } from '@llm-gateway/test/fake/publish-head'
import {
  connected,
  makeRecordStream,
  SUBJECT,
  temporaryFolder,
  untilAcknowledged,
  untilDelivered,
} from '../stream/stream-under-test.ts'

const MIB = 1024 * 1024
const LARGEST = 32 * MIB - 8_192

test('hostile records arrive as they are, and a sink whose target never takes them holds 64 MiB of them at most', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  await makeRecordStream(server)
  const bus = await connected(t, server)
  const records = [
    ...Array.from({ length: 5 }, (_, n) => Buffer.from(`{"n":${n},"text":"${'x'.repeat(LARGEST)}"}`)),
    Buffer.from(`{"request":{"ingress_payload":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`),
    Buffer.from(`{"response":{"inbound_payload":{"base64":"${'A'.repeat(MIB)}"}}}`),
    Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(1_000, 0xff), Buffer.from('"}')]),
    Buffer.from('{"half":'),
    Buffer.alloc(0),
  ]
  for (const [n, bytes] of records.entries()) {
    const kept = await bus.streams.keep(SUBJECT, bytes, { 'Nats-Msg-Id': `G-1-${n}` })
    assert.equal(kept.kind, 'found', JSON.stringify(kept))
  }
  const file = await sink(t, server, 'nats2file', { mode: 'file_writer' })
  await using good = await startProgram({ command: process.execPath, args: file.args })
  await untilAcknowledged(bus, 'nats2file', records.length)
  await good.stop()
  const lines = records.map((bytes) => Buffer.concat([bytes, Buffer.from('\n')]))
  assert.ok(Buffer.concat(lines).equals(readFileSync(file.filename)))

  const { rest_api_writer, read } = await silentTarget(t)
  const rest = await sink(t, server, 'nats2log', { mode: 'rest_api_writer', rest_api_writer })
  await using stuck = await startProgram({ command: process.execPath, args: rest.args })
  await waitForLine(stuck, /sink initialized/)
  // Further records wait behind the first by now.
  await read.waitForCount(1)
  // 64 MiB of records, their copies in the socket, and the program itself.
  assert.ok(peakMebibytes(stuck) < 400, `${peakMebibytes(stuck)} MiB`)
  stuck.kill('SIGKILL')
})

test('a sink whose target never answers keeps no headers of the records that it holds', async (t) => {
  const count = 6_000
  await using server = await startNatsServer({ jetstream: true, jetstreamExtra: 'max_file: 2GB' })
  await makeRecordStream(server, { max_bytes: 1024 * MIB })
  const bus = await connected(t, server)
  const head = headOf(`X: ${'x'.repeat(60 * 1024)}`)
  const payload = Buffer.from('{}')
  const line = Buffer.from(`HPUB ${SUBJECT} ${head.length} ${head.length + payload.length}\r\n`)
  await publishMany(server, Buffer.concat([line, head, payload, Buffer.from('\r\n')]), count)
  const { rest_api_writer } = await silentTarget(t)
  // The first batch is 5,000 records, and the others wait behind it.
  const batch = { records: 5_000, bytes: 32 * MIB, ms: 60_000 }
  const rest = await sink(t, server, 'nats2log', { mode: 'rest_api_writer', rest_api_writer, batch })
  await using stuck = await startProgram({ command: process.execPath, args: rest.args })
  await waitForLine(stuck, /sink initialized/)
  await untilDelivered(bus, 'nats2log')
  // Records of 350 MiB, nearly all of which is headers.
  assert.ok(peakMebibytes(stuck) < 400, `${peakMebibytes(stuck)} MiB`)
  stuck.kill('SIGKILL')
})

// Rule: docs/reference/kept-records.md#message-ids
test('records with an invalid header name, or with very many names, are written like other records', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  await makeRecordStream(server)
  const bus = await connected(t, server)
  const file = await sink(t, server, 'nats2file', { mode: 'file_writer' })
  const heads = [headOf('A B: x'), headOf('Nats-Msg-Id: 1', 'ä: x'), headOf(manyNames(9_000))]
  const publishAll = async (text: string): Promise<void> => {
    for (const [n, head] of heads.entries()) {
      await publishHead(server, SUBJECT, { head, payload: Buffer.from(`"${text} ${n}"`) })
    }
  }
  await publishAll('before the start')
  await using program = await startProgram({ command: process.execPath, args: file.args })
  await untilAcknowledged(bus, 'nats2file', 3)
  await publishAll('after the start')
  await bus.streams.keep(SUBJECT, Buffer.from('"good"'), {})
  // The stream drops the second record that has the id 1.
  await untilAcknowledged(bus, 'nats2file', 6)
  await program.stop()
  const lines = [0, 1, 2].map((n) => `"before the start ${n}"`)
  const later = [0, 2].map((n) => `"after the start ${n}"`)
  assert.equal(readFileSync(file.filename, 'utf8'), [...lines, ...later, '"good"', ''].join('\n'))
  assert.doesNotMatch(program.lines.entries.join(), /WARN|ERROR/)
})

/** Starts a target that reads everything and never answers; `read` counts the requests. */
async function silentTarget(t: TestContext) {
  const read = new Journal<number>()
  const silent = createServer((request) => {
    request.on('end', () => read.add(1))
    request.resume()
  })
  t.after(() => {
    silent.closeAllConnections()
    silent.close()
  })
  return { rest_api_writer: { url: `http://127.0.0.1:${await listen(silent)}` }, read }
}

function peakMebibytes({ pid }: Program): number {
  const [, kibibytes = '0'] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kibibytes) / 1_024
}

/** Publishes one message many times; resolves when the server has read them all. */
async function publishMany(server: NatsServer, message: Buffer, count: number): Promise<void> {
  const socket = connect(server.port, server.hostname)
  socket.write(`CONNECT ${JSON.stringify({ verbose: false, headers: true, auth_token: server.token })}\r\n`)
  const pong = (async () => {
    for await (const chunk of socket) if (String(chunk).includes('PONG')) break
  })()
  for (let n = 0; n < count; n++) if (!socket.write(message)) await once(socket, 'drain')
  socket.write('PING\r\n')
  await pong
}

async function sink(t: TestContext, server: NatsServer, name: string, settings: object) {
  const folder = await temporaryFolder(t)
  const filename = join(folder, 'records.jsonl')
  const file = join(folder, `${name}_config.json`)
  const service_bus = { hostname: server.address, token: server.token }
  await writeFile(file, JSON.stringify({ file_writer: { filename }, service_bus, ...settings }))
  return { filename, args: [join(import.meta.dirname, '../main.ts'), '-o', file] }
}
