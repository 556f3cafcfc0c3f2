import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BusMessage, connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { Journal } from '@llm-gateway/test/fake/journal'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { startTcpProxy } from '@llm-gateway/test/fake/tcp-proxy'
import {
  connected,
  disconnected,
  type RecordConnectionUnderTest,
  recordConnectionUnderTest,
  recordText,
} from './bus-under-test.ts'
import { CuttablePart, type RecordText } from './record-message.ts'
import { createRecordPublisher, type LostReason, type RecordPublisher } from './record-publisher.ts'

// Rules: docs/reference/kept-records.md#acknowledgement, docs/reference/kept-records.md#queue-and-spool,
// docs/reference/kept-records.md#losses, docs/reference/kept-records.md#message-ids, docs/reference/record.md#cuts

const SUBJECT = 'llm.gl.logger'
const MIB = 1024 * 1024

type Counted = {
  readonly publisher: RecordPublisher
  /** The number of records that each PONG acknowledged, with its time. */
  readonly published: Journal<{ readonly count: number; readonly at: number }>
  readonly lost: Journal<LostReason>
  readonly waited: Journal<number>
}

function publisherOn(connection: RecordConnectionUnderTest, queueBytes = 32 * MIB, waitMs?: number): Counted {
  const published = new Journal<{ count: number; at: number }>(100_000)
  const lost = new Journal<LostReason>(100_000)
  const waited = new Journal<number>(100_000)
  const publisher = createRecordPublisher({
    connection,
    subject: SUBJECT,
    usesStream: false,
    logger: connection.logger,
    queueBytes,
    messageIdPrefix: 'GATEWAY1-1',
    ...(waitMs === undefined ? {} : { waitMs }),
    onEarlierLosses: () => undefined,
    onWait: () => waited.add(performance.now()),
    onPublished: (count) => published.add({ count, at: performance.now() }),
    onLost: (count, reason) => {
      for (let index = 0; index < count; index++) lost.add(reason)
    },
  })
  return { publisher, published, lost, waited }
}

const record = (serial: number, size = 0): Uint8Array =>
  new TextEncoder().encode(JSON.stringify({ serial, filler: 'x'.repeat(size) }))

const text = (serial: number, size = 0): RecordText => recordText(record(serial, size))

type Received = AsyncDisposable & { readonly messages: Journal<BusMessage>; close(): Promise<void> }

async function subscribeToRecords(server: NatsServer): Promise<Received> {
  const client = await connectBusClient(server)
  const messages = new Journal<BusMessage>(100_000)
  await client.subscribe(SUBJECT, (message) => messages.add(message))
  const close = (): Promise<void> => client.close()
  return { messages, close, [Symbol.asyncDispose]: close }
}

const serialOf = (message: BusMessage): number => JSON.parse(new TextDecoder().decode(message.bytes)).serial
const publishedCount = ({ published }: Counted): number => published.entries.reduce((sum, { count }) => sum + count, 0)
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

test('a bus that is killed during 5,000 records loses at most those confirmed by a PONG in its last second', async () => {
  await using server = await startNatsServer()
  await using proxy = await startTcpProxy(server.port)
  const reader = await subscribeToRecords(server)
  await using bus = recordConnectionUnderTest({ ...server, port: proxy.port })
  await connected(bus)
  const counted = publisherOn(bus)
  let killingAt = 0
  for (const serial of upTo(5_000)) {
    counted.publisher.publish(text(serial, 2_000))
    if (serial % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
    if (serial === 2_500) {
      await proxy.refuse()
      killingAt = performance.now()
      await server.kill('SIGKILL')
    }
  }
  await disconnected(bus)
  // All records that the killed bus acknowledged by a PONG; some may be read after its end.
  const ponged = [...counted.published.entries]
  await server.restart()
  const back = await subscribeToRecords(server)
  await proxy.listen()
  await counted.publisher.drain(60_000)
  await back.messages.waitFor((message) => serialOf(message) === 5_000)
  assert.equal(publishedCount(counted), 5_000)
  assert.deepEqual(counted.lost.entries, [])

  const messages = [...reader.messages.entries, ...back.messages.entries]
  const ids = new Map(messages.map((message) => [message.messageId, serialOf(message)]))
  const pongedLate = ponged.filter(({ at }) => at > killingAt - 1_000)
  const mayBeMissing = pongedLate.reduce((sum, { count }) => sum + count, 0)
  assert.ok(ids.size >= 5_000 - mayBeMissing, `${ids.size} received, ${mayBeMissing} may be missing`)
  const pongedBefore = ponged.reduce((sum, { count }) => sum + count, 0)
  const serials = new Set(ids.values())
  const missing = upTo(5_000).filter((serial) => serial > pongedBefore && !serials.has(serial))
  assert.deepEqual(missing, [], 'the records without a PONG come again')
  for (const [id, serial] of ids) assert.equal(id, `GATEWAY1-1-${serial}`)
  const after = back.messages.entries.map(serialOf)
  assert.deepEqual(
    after,
    after.toSorted((a, b) => a - b),
    'in order after the restart',
  )
  await Promise.all([reader.close(), back.close()])
})

test('records without a PONG on a dropped connection are sent again in order, with the same ids', async () => {
  await using server = await startNatsServer()
  await using proxy = await startTcpProxy(server.port)
  const reader = await subscribeToRecords(server)
  await using bus = recordConnectionUnderTest({ ...server, port: proxy.port })
  await connected(bus)
  const counted = publisherOn(bus)
  proxy.hold()
  for (const serial of upTo(300)) counted.publisher.publish(text(serial, 1_000))
  await bus.sent.waitForCount(200)
  assert.equal(publishedCount(counted), 0)
  proxy.cut()
  await disconnected(bus)
  proxy.resume()
  await counted.published.waitUntil(() => publishedCount(counted) === 300)
  await reader.messages.waitFor((message) => serialOf(message) === 300)
  const ids = [...new Set(reader.messages.entries.map((message) => message.messageId))]
  assert.deepEqual(
    ids,
    upTo(300).map((serial) => `GATEWAY1-1-${serial}`),
  )
  assert.equal(counted.publisher.queuedBytes, 0)
  await reader.close()
})

test('records wait for a bus that is away at the start', async () => {
  await using server = await startNatsServer()
  await server.stop()
  await using bus = recordConnectionUnderTest(server)
  const counted = publisherOn(bus)
  for (const serial of upTo(100)) counted.publisher.publish(text(serial))
  assert.equal(
    counted.publisher.queuedBytes,
    upTo(100).reduce((sum, serial) => sum + record(serial).length, 0),
  )
  await server.restart()
  await counted.published.waitUntil(() => publishedCount(counted) === 100)
  assert.equal(counted.publisher.queuedBytes, 0)
})

test('after a disconnection records wait until their readers can have reconnected', async () => {
  await using server = await startNatsServer()
  await using bus = recordConnectionUnderTest(server, { timings: { readersReturnMs: 5_000 } })
  await connected(bus)
  const counted = publisherOn(bus)
  await server.stop()
  await disconnected(bus)
  for (const serial of upTo(10)) counted.publisher.publish(text(serial))
  await server.restart()
  await bus.lines.waitUntil(() => bus.lines.entries.filter(({ msg }) => msg === 'bus connected').length === 2)
  await using reader = await subscribeToRecords(server)
  await reader.messages.waitForCount(10)
  assert.deepEqual(reader.messages.entries.map(serialOf), upTo(10))
})

test('a full queue drops a new record after the waiting time and counts it; sent records count as queued', async () => {
  await using server = await startNatsServer()
  await using proxy = await startTcpProxy(server.port)
  const reader = await subscribeToRecords(server)
  await using bus = recordConnectionUnderTest({ ...server, port: proxy.port })
  await connected(bus)
  const size = record(100, 10_000).length
  const counted = publisherOn(bus, 10 * size, 50)
  proxy.hold()
  for (const serial of upTo(12)) counted.publisher.publish(text(serial + 100, 10_000))
  assert.equal(counted.publisher.queuedBytes, 10 * size)
  await bus.sent.waitForCount(10)
  assert.equal(counted.publisher.queuedBytes, 10 * size)
  counted.publisher.publish(text(113, 10_000))
  await counted.lost.waitForCount(3)
  assert.deepEqual(counted.lost.entries, ['queue_full', 'queue_full', 'queue_full'])
  proxy.resume()
  await counted.published.waitUntil(() => publishedCount(counted) === 10)
  counted.publisher.publish(text(114, 10_000))
  await reader.messages.waitForCount(11)
  assert.deepEqual(reader.messages.entries.map(serialOf), [...upTo(10).map((serial) => serial + 100), 114])
  await reader.close()
})

test('while a connected bus is behind, records and calls wait for room, in order, and none is lost', async () => {
  await using server = await startNatsServer()
  await using proxy = await startTcpProxy(server.port)
  await using reader = await subscribeToRecords(server)
  await using bus = recordConnectionUnderTest({ ...server, port: proxy.port })
  await connected(bus)
  const size = record(100, 10_000).length
  const counted = publisherOn(bus, 10 * size, 600_000)
  assert.equal(counted.publisher.waitForRoom('/a/'), undefined)
  proxy.hold()
  for (const serial of upTo(30)) counted.publisher.publish(text(serial + 100, 10_000))
  const room = counted.publisher.waitForRoom('/a/')
  assert.ok(room !== undefined)
  assert.equal(counted.waited.entries.length, 21)
  assert.equal(counted.publisher.queuedBytes, 10 * size)
  proxy.resume()
  await room
  await reader.messages.waitForCount(30)
  assert.deepEqual(
    reader.messages.entries.map(serialOf),
    upTo(30).map((serial) => serial + 100),
  )
  assert.deepEqual(counted.lost.entries, [])
})

test('large records leave room for small calls, and small calls do not wait behind large calls', async () => {
  await using server = await startNatsServer()
  await using proxy = await startTcpProxy(server.port)
  await using reader = await subscribeToRecords(server)
  await using bus = recordConnectionUnderTest({ ...server, port: proxy.port })
  await connected(bus)
  const counted = publisherOn(bus, 32 * MIB, 600_000)
  const { publisher } = counted
  proxy.hold()
  for (const serial of upTo(20)) publisher.publish(text(serial, 2 * MIB))
  const filled = publisher.queuedBytes
  assert.ok(filled <= 28 * MIB && filled > 25 * MIB)
  assert.ok(publisher.waitForRoom('/a/', 2 * MIB) !== undefined && publisher.waitForRoom('/a/') !== undefined)
  assert.equal(publisher.waitForRoom('/a/', 10_000), undefined)
  for (const serial of upTo(100)) publisher.publish(text(serial + 100, 10_000))
  assert.ok(publisher.queuedBytes - filled > 1_000_000)
  proxy.resume()
  await reader.messages.waitForCount(120)
  assert.deepEqual(counted.lost.entries, [])
})

test('a record larger than the share of large records is taken when the queue is empty', async () => {
  await using server = await startNatsServer()
  await using reader = await subscribeToRecords(server)
  await using bus = recordConnectionUnderTest(server)
  await connected(bus)
  const counted = publisherOn(bus, 4 * MIB, 600_000)
  for (const serial of upTo(3)) counted.publisher.publish(text(serial, 3.9 * MIB))
  await reader.messages.waitForCount(3)
  assert.deepEqual(counted.lost.entries, [])
})

test('beside a record that fills the queue alone, small calls and records have their share', async () => {
  await using server = await startNatsServer()
  await using proxy = await startTcpProxy(server.port)
  await using reader = await subscribeToRecords(server)
  await using bus = recordConnectionUnderTest({ ...server, port: proxy.port })
  await connected(bus)
  const counted = publisherOn(bus, 4 * MIB, 600_000)
  const { publisher } = counted
  proxy.hold()
  publisher.publish(text(1, 3.9 * MIB))
  assert.equal(publisher.waitForRoom('/a/', 10_000), undefined)
  for (const serial of upTo(100)) publisher.publish(text(serial + 1, 10_000))
  assert.ok(publisher.queuedBytes <= 4.5 * MIB && publisher.queuedBytes > 4.3 * MIB, `${publisher.queuedBytes} bytes`)
  assert.ok(publisher.waitForRoom('/a/', 10_000) !== undefined)
  proxy.resume()
  await reader.messages.waitForCount(101)
  assert.deepEqual(counted.lost.entries, [])
})

test('waiting calls and records are answered at once when the bus disconnects', async () => {
  await using server = await startNatsServer()
  await using proxy = await startTcpProxy(server.port)
  await using bus = recordConnectionUnderTest({ ...server, port: proxy.port })
  await connected(bus)
  const counted = publisherOn(bus, 25_000, 600_000)
  proxy.hold()
  for (const serial of upTo(3)) counted.publisher.publish(text(serial, 10_000))
  const room = counted.publisher.waitForRoom('/a/')
  assert.ok(room !== undefined)
  await proxy.refuse()
  proxy.cut()
  await room
  assert.deepEqual(counted.lost.entries, ['queue_full'])
  assert.equal(counted.publisher.waitForRoom('/a/'), undefined)
})

test('a record over max_payload is cut; a record that stays too large is counted as lost, and the next is published', async () => {
  await using server = await startNatsServer({ maxPayload: 20_000 })
  const reader = await subscribeToRecords(server)
  await server.kill('SIGSTOP')
  await using bus = recordConnectionUnderTest(server)
  const counted = publisherOn(bus)
  const payload = new CuttablePart('outbound_payload', Buffer.from(JSON.stringify('p'.repeat(50_000))))
  // Before the first connection neither record is known to be too large.
  counted.publisher.publish(recordText('{"serial":1,"request":{"outbound_payload":', payload, '}}'))
  counted.publisher.publish(text(2, 30_000))
  await server.kill('SIGCONT')
  await reader.messages.waitForCount(1)
  counted.publisher.publish(text(3, 30_000))
  counted.publisher.publish(text(4))
  await counted.publisher.drain(10_000)
  await reader.messages.waitForCount(2)
  assert.deepEqual(reader.messages.entries.map(serialOf), [1, 4])
  const [first] = reader.messages.entries
  assert.deepEqual(JSON.parse(new TextDecoder().decode(first?.bytes)).cut, ['outbound_payload'])
  assert.deepEqual(counted.lost.entries, ['too_large', 'too_large'])
  await reader.close()
})

test('a record of exactly max_payload, headers counted, arrives whole', async () => {
  await using server = await startNatsServer({ maxPayload: 20_000 })
  const reader = await subscribeToRecords(server)
  await using bus = recordConnectionUnderTest(server)
  await connected(bus)
  const counted = publisherOn(bus)
  const room = 20_000 - 'NATS/1.0\r\nNats-Msg-Id: GATEWAY1-1-1\r\n\r\n'.length - record(1).length
  counted.publisher.publish(text(1, room))
  counted.publisher.publish(text(2, room + 1))
  await counted.publisher.drain(10_000)
  await reader.messages.waitForCount(1)
  assert.deepEqual(reader.messages.entries.map(serialOf), [1])
  assert.deepEqual(counted.lost.entries, ['too_large'])
  await reader.close()
})

test('at most 4 MiB are sent to a bus that doesn’t read', async () => {
  await using server = await startNatsServer()
  await using proxy = await startTcpProxy(server.port)
  await using bus = recordConnectionUnderTest({ ...server, port: proxy.port })
  bus.onConnected(() => proxy.hold())
  const counted = publisherOn(bus, 40 * MIB)
  for (const serial of upTo(31)) counted.publisher.publish(text(serial, MIB))
  await bus.sent.waitForCount(3)
  assert.deepEqual(bus.sent.entries, ['GATEWAY1-1-1', 'GATEWAY1-1-2', 'GATEWAY1-1-3'])
  assert.ok(counted.publisher.queuedBytes > 30 * MIB)
  proxy.resume()
  await counted.published.waitUntil(() => publishedCount(counted) === 31)
})

test('records that a drain can’t publish are lost with the reason exit, and so are later records', async () => {
  await using server = await startNatsServer()
  await server.stop()
  await using bus = recordConnectionUnderTest(server)
  const counted = publisherOn(bus)
  for (const serial of upTo(3)) counted.publisher.publish(text(serial))
  await Promise.all([counted.publisher.drain(20), counted.publisher.drain(20)])
  counted.publisher.publish(text(4))
  assert.deepEqual(counted.lost.entries, ['exit', 'exit', 'exit', 'exit'])
  assert.equal(counted.publisher.queuedBytes, 0)
})

test('a drain of an empty queue returns at once; a drain of a full queue publishes small batches without delay', async () => {
  await using server = await startNatsServer()
  await using bus = recordConnectionUnderTest(server)
  await connected(bus)
  await publisherOn(bus).publisher.drain(600_000)
  const counted = publisherOn(bus)
  for (const serial of upTo(1_000)) counted.publisher.publish(text(serial, 5_000))
  await counted.publisher.drain(600_000)
  assert.equal(publishedCount(counted), 1_000)
  assert.deepEqual(counted.lost.entries, [])
})
