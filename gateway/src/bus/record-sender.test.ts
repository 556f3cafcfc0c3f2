import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { Journal } from '@llm-gateway/test/fake/journal'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { openRecordStream } from '@llm-gateway/test/fake/record-stream'
import { startTcpProxy } from '@llm-gateway/test/fake/tcp-proxy'
import { connected, disconnected, type RecordConnectionUnderTest, recordConnectionUnderTest } from './bus-under-test.ts'
import { empty, MIB, publisherOn, record, serialOf, until } from './publisher-under-test.ts'

// Rules: docs/reference/kept-records.md#stream, docs/reference/kept-records.md#acknowledgement

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

/** Waits for a log line with that message and code. */
const coded = (connection: RecordConnectionUnderTest, msg: string, code: string) =>
  connection.lines.waitFor((line) => line.msg === msg && line.fields.code === code, { what: `${msg} ${code}` })

test('the stream is created with its documented settings, and each record is released by its acknowledgement', async () => {
  await using server = await startNatsServer({ jetstream: true, jetstreamExtra: 'max_file: 1GB' })
  await using kept = await openRecordStream(server)
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, undefined)
  const sizes = [0, 100, 20_000, MIB, 3, 5 * MIB, 1]
  sizes.forEach((size, index) => {
    counted.publisher.publish(record(index + 1, size))
  })
  await until(counted, empty)
  const { stream, acknowledged, queued_bytes } = counted.publisher.status
  assert.deepEqual({ stream, acknowledged, queued_bytes }, { stream: 'on', acknowledged: 7, queued_bytes: 0 })
  const records = await kept.read()
  assert.deepEqual(records.map(serialOf), upTo(7))
  assert.deepEqual(
    records.map(({ messageId }) => messageId),
    upTo(7).map((serial) => `GATEWAY1-1-${serial}`),
  )
  const config = (await kept.info())?.config ?? {}
  const { max_bytes, ...rest } = config
  const share = Number(max_bytes) / (1024 * MIB)
  assert.ok(share > 0.6 && share < 0.75, `${max_bytes} bytes`)
  const expected = {
    name: 'records_llm',
    subjects: ['llm.gl.logger'],
    retention: 'limits',
    storage: 'file',
    discard: 'old',
    max_age: 7 * 24 * 3600 * 1e9,
    max_msg_size: 32 * MIB - 4096,
    duplicate_window: 600 * 1e9,
    deny_delete: true,
    deny_purge: true,
    num_replicas: 1,
  }
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, rest[name]])), expected)
})

test('the stream of records leaves free the bytes that other streams have reserved', async () => {
  await using server = await startNatsServer({ jetstream: true, jetstreamExtra: 'max_file: 1GB' })
  await using bucket = await openRecordStream(server, 'KV_state')
  await bucket.request('CREATE', { name: 'KV_state', subjects: ['$KV.state.>'], storage: 'file', max_bytes: 512 * MIB })
  await using kept = await openRecordStream(server)
  await using connection = recordConnectionUnderTest(server)
  await using _counted = publisherOn(connection, undefined)
  await connection.lines.waitFor(({ msg }) => msg === 'bus keeps records')
  const share = Number((await kept.info())?.config.max_bytes) / (512 * MIB)
  assert.ok(share > 0.6 && share < 0.75, `${share} of the bytes that the bucket left`)
})

test('a stream that the account may create but not update keeps its created size', async () => {
  const api = '"$JS.API.STREAM.INFO.>", "$JS.API.STREAM.CREATE.>"'
  const users = `{ user: "a", password: "b", permissions: { publish: ["llm.>", ${api}], subscribe: ["_INBOX.>"] } }, { user: "root", password: "c" }`
  await using server = await startNatsServer({
    jetstream: true,
    token: undefined,
    extra: `authorization { users: [ ${users} ] }\nno_auth_user: "a"`,
    jetstreamExtra: 'max_file: 1GB',
  })
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, undefined)
  counted.publisher.publish(record(1))
  await until(counted, empty)
  assert.deepEqual([counted.publisher.status.stream, counted.publisher.acknowledged], ['on', 1])
  assert.deepEqual(
    connection.lines.entries.filter(({ msg }) => msg === 'bus keeps no records'),
    [],
  )
})

test('a bus that is killed during 5,000 records stores each of them once, in order', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, undefined)
  await connected(connection)
  for (const serial of upTo(5_000)) {
    counted.publisher.publish(record(serial, 2_000))
    if (serial % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
    if (serial === 2_500) await server.kill('SIGKILL')
  }
  await disconnected(connection)
  await server.restart()
  await until(counted, empty)
  await using kept = await openRecordStream(server)
  assert.deepEqual((await kept.read()).map(serialOf), upTo(5_000))
  assert.equal(counted.publisher.status.acknowledged, 5_000)
  assert.deepEqual(counted.lost.entries, [])
})

test('records whose acknowledgements were cut off are sent again, and the stream has each once', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using proxy = await startTcpProxy(server.port)
  await using kept = await openRecordStream(server)
  await using connection = recordConnectionUnderTest({ ...server, port: proxy.port })
  await using counted = publisherOn(connection, undefined)
  counted.publisher.publish(record(1))
  await until(counted, empty)
  proxy.hold()
  for (const serial of upTo(300)) counted.publisher.publish(record(serial + 1, 1_000))
  await connection.sent.waitForCount(200)
  proxy.cut()
  await disconnected(connection)
  proxy.resume()
  await until(counted, empty)
  assert.deepEqual((await kept.read()).map(serialOf), upTo(301))
})

test('a bus that pauses beyond the answer timeout gets all records again and stores each once', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using kept = await openRecordStream(server)
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, undefined, { answerTimeoutMs: 300 })
  counted.publisher.publish(record(1))
  await until(counted, empty)
  await server.kill('SIGSTOP')
  for (const serial of upTo(50)) counted.publisher.publish(record(serial + 1))
  await coded(connection, 'bus stores no records at the moment', 'NO_ANSWER')
  assert.equal(counted.publisher.status.stream, 'failing')
  await server.kill('SIGCONT')
  // Late answers may release all records before the stream was asked for again.
  await until(counted, (status) => empty(status) && status.stream === 'on')
  assert.deepEqual((await kept.read()).map(serialOf), upTo(51))
})

test('no more than 1,000 records are on their way at once', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, undefined)
  await connection.lines.waitFor(({ msg }) => msg === 'bus keeps records')
  await server.kill('SIGSTOP')
  for (const serial of upTo(3_000)) counted.publisher.publish(record(serial))
  await connection.sent.waitForCount(1_000)
  await new Promise((resolve) => setTimeout(resolve, 100))
  assert.equal(connection.sent.total, 1_000)
  await server.kill('SIGCONT')
  await until(counted, empty)
})

for (const listening of [false, true]) {
  test(`a stream that is deleted is made again, ${listening ? 'while somebody listens to the records' : 'and nobody listens'}`, async () => {
    await using server = await startNatsServer({ jetstream: true })
    await using kept = await openRecordStream(server)
    await using reader = await connectBusClient(server)
    if (listening) await reader.subscribe('llm.gl.logger', () => undefined)
    await using connection = recordConnectionUnderTest(server)
    await using counted = publisherOn(connection, undefined, { answerTimeoutMs: 300 })
    counted.publisher.publish(record(1))
    await until(counted, empty)
    await kept.request('DELETE')
    for (const serial of upTo(20)) counted.publisher.publish(record(serial + 1))
    await until(counted, empty)
    assert.deepEqual((await kept.read()).map(serialOf), upTo(21).slice(1))
    await coded(connection, 'bus stores no records at the moment', listening ? 'NO_ANSWER' : 'NO_STREAM')
    assert.deepEqual(counted.lost.entries, [])
  })
}

test('the status shows the error number of a refusing stream, and all records are stored once it accepts them', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using kept = await openRecordStream(server)
  const config = { name: 'records_llm', subjects: ['llm.gl.logger'], storage: 'file', discard: 'new', max_msgs: 5 }
  await kept.request('CREATE', config)
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, undefined)
  for (const serial of upTo(10)) counted.publisher.publish(record(serial))
  await coded(connection, 'bus stores no records at the moment', 'STORE_10077')
  assert.deepEqual([counted.publisher.status.stream, counted.publisher.status.stream_code], ['failing', 'STORE_10077'])
  await kept.request('UPDATE', { ...config, max_msgs: 100 })
  await until(counted, empty)
  assert.deepEqual(
    (await kept.read()).map(serialOf).toSorted((a, b) => a - b),
    upTo(10),
  )
  assert.equal(counted.publisher.status.stream, 'on')
})

test('a record is cut to the stream’s max_msg_size', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using kept = await openRecordStream(server)
  await kept.request('CREATE', { name: 'records_llm', subjects: ['llm.gl.logger'], max_msg_size: 10_000 })
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, undefined)
  counted.publisher.publish(record(1, 20_000))
  counted.publisher.publish(record(2, 1_000))
  await until(counted, empty)
  assert.deepEqual(counted.lost.entries, ['1 too_large'])
  assert.deepEqual((await kept.read()).map(serialOf), [2])
})

test('a record that waits for room gets the room of a record that the stream refuses for its size', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using kept = await openRecordStream(server)
  const config = { name: 'records_llm', subjects: ['llm.gl.logger'] }
  await kept.request('CREATE', config)
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, undefined, { queueBytes: 65_000, waitMs: 60_000 })
  await connection.lines.waitFor(({ msg }) => msg === 'bus keeps records')
  await kept.request('UPDATE', { ...config, max_msg_size: 10_000 })
  counted.publisher.publish(record(1, 60_000))
  counted.publisher.publish(record(2, 8_000))
  await counted.lost.waitForCount(1)
  await until(counted, empty)
  assert.deepEqual((await kept.read()).map(serialOf), [2])
  assert.deepEqual(counted.lost.entries, ['1 too_large'])
})

test('a small record behind a record that found no room in time is taken at once', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, undefined, { queueBytes: 65_000, waitMs: 300 })
  await connection.lines.waitFor(({ msg }) => msg === 'bus keeps records')
  await server.kill('SIGSTOP')
  counted.publisher.publish(record(1, 60_000))
  const { queuedBytes } = counted.publisher
  counted.publisher.publish(record(2, 30_000))
  counted.publisher.publish(record(3))
  await counted.lost.waitForCount(1)
  assert.ok(counted.publisher.queuedBytes > queuedBytes)
  await server.kill('SIGCONT')
  await until(counted, empty)
  await using kept = await openRecordStream(server)
  assert.deepEqual((await kept.read()).map(serialOf), [1, 3])
  assert.deepEqual(counted.lost.entries, ['1 queue_full'])
})

const without: readonly (readonly [string, object, string, string, readersOfAll?: true])[] = [
  ['a bus without JetStream', {}, 'missing', 'NO_STREAM'],
  ['a bus without JetStream and with a reader of all subjects', {}, 'missing', 'NO_ANSWER', true],
  [
    'an account that may not ask for streams',
    {
      jetstream: true,
      token: undefined,
      extra:
        'authorization { users: [ { user: "a", password: "b", permissions: { publish: ["llm.>"], subscribe: ["_INBOX.>"] } } ] }\nno_auth_user: "a"',
    },
    'missing',
    'NOT_ALLOWED',
  ],
  [
    'an account that gets no answers',
    {
      jetstream: true,
      token: undefined,
      extra:
        'authorization { users: [ { user: "a", password: "b", permissions: { publish: ["llm.>"], subscribe: ["none"] } } ] }\nno_auth_user: "a"',
    },
    'missing',
    'NOT_ALLOWED',
  ],
]
for (const [what, options, stream, code, readersOfAll] of without) {
  test(`${what}: a WARN explains the consequence, and records reach current subscribers`, async () => {
    await using server = await startNatsServer(options)
    await using reader = await connectBusClient(server)
    if (readersOfAll) await reader.subscribe('>', () => undefined)
    await using connection = recordConnectionUnderTest(server)
    await using counted = publisherOn(connection, undefined)
    for (const serial of upTo(20)) counted.publisher.publish(record(serial))
    await until(counted, empty)
    const { fields, level } = await coded(connection, 'bus keeps no records', code)
    assert.deepEqual([level, fields.stream], ['WARN', 'records_llm'])
    assert.ok(String(fields.means).includes('are lost'))
    const status = counted.publisher.status
    assert.deepEqual([status.stream, status.stream_code, status.acknowledged], [stream, code, 0])
  })
}

test('without JetStream a record that nobody reads is counted as lost, and as published where somebody does', async () => {
  await using server = await startNatsServer()
  await using reader = await connectBusClient(server)
  await using connection = recordConnectionUnderTest(server)
  const published = new Journal<number>()
  await using counted = publisherOn(connection, undefined, { onPublished: (count) => published.add(count) })
  for (const serial of upTo(1_500)) counted.publisher.publish(record(serial, 1_000))
  await until(counted, empty)
  assert.deepEqual([counted.lost.entries.length, counted.publisher.status.lost], [1_500, { no_subscriber: 1_500 }])
  const received = new Journal<string>(1_500)
  await reader.subscribe('llm.gl.logger', ({ messageId = '' }) => received.add(messageId))
  for (const serial of upTo(1_500)) counted.publisher.publish(record(serial, 1_000))
  await until(counted, empty)
  await received.waitFor((id) => id === 'GATEWAY1-1-3000')
  assert.equal(counted.lost.entries.length, 1_500)
  assert.equal(
    published.entries.reduce((sum, count) => sum + count, 0),
    1_500,
  )
})

test('an account that may not read the stream’s settings has its records stored, also after a restart and a refusal', async () => {
  const permissions = '{ publish: ["llm.>"], subscribe: ["_INBOX.>"] }'
  const users = `{ user: "a", password: "b", permissions: ${permissions} }, { user: "root", password: "c" }`
  await using server = await startNatsServer({
    jetstream: true,
    token: undefined,
    extra: `authorization { users: [ ${users} ] }\nno_auth_user: "a"`,
  })
  const config = { name: 'records_llm', subjects: ['llm.gl.logger'], discard: 'new', max_msgs: 2 }
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, undefined)
  {
    await using root = await openRecordStream({ ...server, user: { name: 'root', password: 'c' } })
    await root.request('CREATE', config)
    counted.publisher.publish(record(1))
    await connection.lines.waitFor(({ msg }) => msg === 'bus keeps records')
  }
  await server.restart()
  counted.publisher.publish(record(2))
  await until(counted, empty)
  // Not 2: the PONG behind the first record may come before the stream's answer to it.
  assert.ok((counted.publisher.status.acknowledged ?? 0) >= 1)
  assert.equal(counted.publisher.status.stream, 'on')
  counted.publisher.publish(record(3))
  await coded(connection, 'bus stores no records at the moment', 'STORE_10077')
  // Two more tries: the account is refused its question each time.
  await connection.sent.waitForCount(connection.sent.total + 2)
  assert.equal(counted.publisher.status.stream, 'failing')
  await using root = await openRecordStream({ ...server, user: { name: 'root', password: 'c' } })
  await root.request('UPDATE', { ...config, max_msgs: 100 })
  await until(counted, empty)
  assert.deepEqual((await root.read()).map(serialOf), [1, 2, 3])
  assert.deepEqual([counted.publisher.status.stream, counted.publisher.status.lost], ['on', {}])
  const warnings = connection.lines.entries.filter(({ msg }) => msg === 'bus stores no records at the moment')
  assert.equal(warnings.filter(({ fields }) => fields.code === 'STORE_10077').length, 1)
})

test('with record.stream off the gateway neither creates nor reads a stream', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using kept = await openRecordStream(server)
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, undefined, { usesStream: false })
  counted.publisher.publish(record(1))
  await until(counted, empty)
  assert.equal(counted.publisher.status.stream, 'off')
  assert.equal(await kept.info(), undefined)
})
