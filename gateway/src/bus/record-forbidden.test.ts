import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BusMessage, connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { Journal } from '@llm-gateway/test/fake/journal'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { openRecordStream } from '@llm-gateway/test/fake/record-stream'
import { startTcpProxy } from '@llm-gateway/test/fake/tcp-proxy'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { recordConnectionUnderTest } from './bus-under-test.ts'
import { empty, publisherOn, record, spooled, until } from './publisher-under-test.ts'

// Rules: docs/reference/kept-records.md#acknowledgement

const FORBIDDEN = {
  token: undefined,
  extra:
    'authorization { users: [ { user: "a", password: "b", permissions: { publish: "elsewhere" } } ] }\nno_auth_user: "a"',
}
const RECORDS = 3

for (const usesStream of [true, false]) {
  for (const hasSpool of [true, false]) {
    const bus = `${usesStream ? 'a stream that is missing' : 'no stream'}, ${hasSpool ? 'with' : 'without'} a spool`
    test(`records of a forbidden subject are kept and sent again, until the bus takes them: ${bus}`, async () => {
      await using folder = await temporaryFolder()
      await using server = await startNatsServer(FORBIDDEN)
      await using other = await startNatsServer({ token: undefined })
      await using reader = await connectBusClient(other)
      const received = new Journal<BusMessage>()
      await reader.subscribe('llm.gl.logger', (message) => received.add(message))
      await using proxy = await startTcpProxy(server.port)
      await using connection = recordConnectionUnderTest({ ...server, port: proxy.port })
      const published = new Journal<number>()
      const onPublished = (count: number): void => published.add(count)
      const directory = hasSpool ? folder.path : undefined
      await using counted = publisherOn(connection, directory, { usesStream, onPublished })
      for (let serial = 0; serial < RECORDS; serial += 1) counted.publisher.publish(record(serial))
      // The bus gets some of the records again.
      await connection.sent.waitForCount(RECORDS + 3)
      if (hasSpool) await until(counted, spooled(RECORDS))
      const { queued_bytes, spooled_records, stream_code } = counted.publisher.status
      assert.ok(queued_bytes > 0 || spooled_records === RECORDS)
      assert.deepEqual([stream_code, published.entries, counted.lost.entries], ['NOT_ALLOWED', [], []])
      proxy.pointTo(other.port)
      proxy.cut()
      await until(counted, empty)
      await received.waitUntil((messages) => new Set(messages.map(({ messageId }) => messageId)).size === RECORDS)
      assert.equal(
        published.entries.reduce((sum, count) => sum + count, 0),
        RECORDS,
      )
      assert.notEqual(counted.publisher.status.stream_code, 'NOT_ALLOWED')
    })
  }
}

for (const hasSpool of [true, false]) {
  test(`the status tells that the bus forbids records of a stream, until it takes one, ${hasSpool ? 'with' : 'without'} a spool`, async () => {
    await using folder = await temporaryFolder()
    const extra = FORBIDDEN.extra.replace('"elsewhere"', '{ deny: "llm.gl.logger" }')
    await using server = await startNatsServer({ token: undefined, jetstream: true, extra })
    await using other = await startNatsServer({ token: undefined, jetstream: true })
    for (const place of [server, other]) {
      await using kept = await openRecordStream(place)
      await kept.request('CREATE', { name: 'records_llm', subjects: ['llm.gl.logger'] })
    }
    await using proxy = await startTcpProxy(server.port)
    await using connection = recordConnectionUnderTest({ ...server, port: proxy.port })
    const keeps = (): number => connection.lines.entries.filter(({ msg }) => msg === 'bus keeps records').length
    await using counted = publisherOn(connection, hasSpool ? folder.path : undefined)
    await until(counted, ({ stream }) => stream === 'on')
    for (let serial = 0; serial < RECORDS; serial += 1) counted.publisher.publish(record(serial))
    // The bus gets some of the records again.
    await connection.sent.waitForCount(RECORDS + 2)
    const { stream, stream_code } = counted.publisher.status
    assert.deepEqual([stream, stream_code, keeps()], ['failing', 'NOT_ALLOWED', 1])
    proxy.pointTo(other.port)
    proxy.cut()
    await until(counted, empty)
    assert.deepEqual([counted.publisher.status.stream, counted.publisher.status.stream_code], ['on', undefined])
    assert.deepEqual([counted.publisher.acknowledged, counted.lost.entries], [RECORDS, []])
  })
}
