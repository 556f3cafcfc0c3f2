import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { openRecordStream } from '@llm-gateway/test/fake/record-stream'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { source, spoolIn } from '../spool/spool-under-test.ts'
import { WorkQueue } from '../work/work-queue.ts'
import { type RecordConnectionUnderTest, recordConnectionUnderTest } from './bus-under-test.ts'
import { createMessageHeads } from './message-head.ts'
import { empty, publisherOn, record, serialOf, spooled, until } from './publisher-under-test.ts'
import type { RecordMessage } from './record-message.ts'
import { RecordPages } from './record-pages.ts'
import { RecordQueue } from './record-queue.ts'
import { RecordReplay } from './record-replay.ts'
import { RecordSender } from './record-sender.ts'
import { RecordStream } from './record-stream.ts'

test('a spooled record whose id has another form is damaged, and the others are sent', async () => {
  await using folder = await temporaryFolder()
  const ids = ['a\r\nEvil: 1\r\n\r\n', '', '\xff\xff', 'ok-1-1', 'GATEWAY1-1-x', 'GATEWAY1-1-1\n', 'GATEWAY1-1-1']
  {
    await using under = await spoolIn(folder.path)
    await under.spool.append(ids.map((id, serial) => ({ ...source(serial), id })))
  }
  await using server = await startNatsServer({ jetstream: true })
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, folder.path, { messageIdPrefix: 'GATEWAY1-2' })
  await until(counted, ({ acknowledged }) => acknowledged === 1)
  await until(counted, empty)
  assert.deepEqual(counted.lost.entries, ['6 damaged'])
  await using kept = await openRecordStream(server)
  assert.deepEqual((await kept.read()).map(serialOf), [6])
})

test('a spooled record that the bus always refuses, while it stores others, is lost, and the spool goes on', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, folder.path)
  counted.publisher.publish(record(1))
  await until(counted, ({ acknowledged }) => acknowledged === 1)
  await server.stop()
  for (const serial of [2, 3, 4]) counted.publisher.publish(record(serial))
  await until(counted, spooled(3))
  refuse(connection, 'GATEWAY1-1-3')
  await server.restart()
  await until(counted, empty)
  assert.deepEqual(counted.lost.entries, ['1 refused'])
  assert.equal(counted.publisher.status.acknowledged, 3)
  // The live records wait for no new look at the stream.
  const lines = connection.lines.entries.map(({ msg }) => msg)
  assert.ok(!lines.includes('bus stores no records at the moment'), lines.join(', '))
  await using kept = await openRecordStream(server)
  assert.deepEqual((await kept.read()).map(serialOf), [1, 2, 4])
})

test('a spooled record that is refused while the bus stores nothing else stays until others are stored', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, folder.path)
  counted.publisher.publish(record(1))
  await until(counted, ({ acknowledged }) => acknowledged === 1)
  await server.stop()
  counted.publisher.publish(record(2))
  await until(counted, spooled(1))
  refuse(connection, 'GATEWAY1-1-2')
  const sent = connection.sent.total
  await server.restart()
  await connection.sent.waitForCount(sent + 5)
  assert.deepEqual(counted.lost.entries, [])
  counted.publisher.publish(record(3))
  await until(counted, empty)
  assert.deepEqual(counted.lost.entries, ['1 refused'])
  await using kept = await openRecordStream(server)
  assert.deepEqual((await kept.read()).map(serialOf), [1, 3])
})

test('once the bus has answered, no spooled bytes are on their way', async () => {
  await using folder = await temporaryFolder()
  await using under = await spoolIn(folder.path)
  await under.spool.append([{ ...source(1, 100_000), id: 'GATEWAY1-1-1' }])
  await using server = await startNatsServer({ jetstream: true })
  await using connection = recordConnectionUnderTest(server)
  const stream = new RecordStream('llm.gl.logger', 1024 * 1024)
  const onWay: number[] = []
  const same = { answerTimeoutMs: 60_000, fit: (message: RecordMessage) => message, onReleased: () => undefined }
  const sender = new RecordSender({
    ...same,
    connection,
    queue: new RecordQueue(),
    stream,
    logger: connection.logger,
    onLost: () => undefined,
    onForeignAnswer: (token, answer) => {
      onWay.push(replay.bytesOnWay)
      return replay.takeAnswer(token, answer)
    },
    onReady: () => replay.wake(),
    bytesBeside: () => 0,
  })
  const removed = Promise.withResolvers<void>()
  const replay: RecordReplay = new RecordReplay({
    ...same,
    connection,
    sender,
    spool: under.spool,
    createHead: createMessageHeads('llm.gl.logger', { inbox: connection.inbox, stream: stream.name }),
    work: new WorkQueue(),
    onLost: () => undefined,
    onRemoved: () => {
      onWay.push(replay.bytesOnWay)
      removed.resolve()
    },
  })
  await removed.promise
  const [before = 0, after] = onWay
  assert.deepEqual([before > 100_000, after, onWay.length], [true, 0, 2])
  await replay.close()
  sender.close()
})

test('an acknowledgement of another stream counts neither for a live nor for a spooled record', async () => {
  await using folder = await temporaryFolder()
  {
    await using under = await spoolIn(folder.path)
    await under.spool.append([{ ...source(1), id: 'GATEWAY1-1-1' }])
  }
  await using server = await startNatsServer({ jetstream: true })
  await using connection = recordConnectionUnderTest(server)
  const { onAnswers } = connection
  let isOdd = true
  connection.onAnswers = (listener) =>
    onAnswers.call(connection, (answers) =>
      listener(answers.map((answer) => (isOdd ? { ...answer, text: '{"stream":"other", "seq":1}' } : answer))),
    )
  await using counted = publisherOn(connection, folder.path, { messageIdPrefix: 'GATEWAY1-2', answerTimeoutMs: 500 })
  counted.publisher.publish(record(2))
  await connection.sent.waitForCount(4)
  const { acknowledged, spooled_records: records } = counted.publisher.status
  assert.deepEqual([acknowledged, records > 0], [0, true])
  isOdd = false
  await until(counted, empty)
  assert.equal(counted.publisher.status.acknowledged, 2)
  assert.deepEqual(counted.lost.entries, [])
})

test('a spooled record that outgrew the bus’s limit while it was sent is lost, and the spool goes on', async () => {
  await using folder = await temporaryFolder()
  {
    await using under = await spoolIn(folder.path)
    const sizes = [10, 100_000, 10]
    await under.spool.append(sizes.map((size, serial) => ({ ...source(serial, size), id: `GATEWAY1-1-${serial}` })))
  }
  await using server = await startNatsServer({ jetstream: true })
  await using connection = recordConnectionUnderTest(server)
  const { publish } = connection
  connection.publish = (message) => {
    if (message.size < 100_000) return publish(message)
    // The bus lowers its limit after the record was made for the former one.
    Object.defineProperty(connection, 'maxPayload', { value: 50_000 })
    return false
  }
  await using counted = publisherOn(connection, folder.path, { messageIdPrefix: 'GATEWAY1-2' })
  assert.deepEqual(await counted.lost.waitForCount(1), ['1 too_large'])
  await until(counted, empty)
  await using kept = await openRecordStream(server)
  assert.deepEqual((await kept.read()).map(serialOf), [0, 2])
})

/** Sends a record to a stream that the bus doesn't have, so that the bus refuses it with STORE_10060. */
function refuse(connection: RecordConnectionUnderTest, id: string): void {
  const heads = createMessageHeads('llm.gl.logger', { inbox: connection.inbox, stream: 'another' })
  const pages = new RecordPages()
  const { publish } = connection
  connection.publish = (message) => {
    if (message.head.messageId !== id) return publish(message)
    const parts = [message.toJson().subarray(0, -1)]
    return publish(pages.encode(heads(id, message.head.token), { parts, cut: [] }))
  }
}
