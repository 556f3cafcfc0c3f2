import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { openRecordStream } from '@llm-gateway/test/fake/record-stream'
import { startTcpProxy } from '@llm-gateway/test/fake/tcp-proxy'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { source, spoolIn } from '../spool/spool-under-test.ts'
import { recordConnectionUnderTest } from './bus-under-test.ts'
import { empty, MIB, publisherOn, record, serialOf, until } from './publisher-under-test.ts'

// Rules: docs/reference/kept-records.md#acknowledgement

const ANSWER_MS = 100

/** A record takes 25 times the answer's time; the time that its bytes add to it is longer, or shorter. */
const PATHS = [
  { path: 'a path of 2 MB/s', size: 5 * MIB, speed: 2_000_000, isLate: false },
  { path: 'a path that is slower than any that counts as working', size: MIB, speed: 400_000, isLate: true },
] as const

for (const { path, size, speed, isLate } of PATHS)
  for (const from of ['the spool', 'memory'] as const)
    test(`a large record from ${from} arrives over ${path}, and is not sent for ever`, {
      timeout: 60_000,
    }, async () => {
      await using folder = await temporaryFolder()
      if (from === 'the spool') {
        await using under = await spoolIn(folder.path)
        await under.spool.append([{ ...source(1, size), id: 'GATEWAY1-1-1' }])
      }
      await using server = await startNatsServer({ jetstream: true })
      await using proxy = await startTcpProxy(server.port)
      await using connection = recordConnectionUnderTest({ ...server, port: proxy.port })
      const { publish } = connection
      connection.publish = (message) => {
        proxy.slow(speed)
        return publish(message)
      }
      const options = { answerTimeoutMs: ANSWER_MS, messageIdPrefix: 'GATEWAY1-2' }
      await using counted = publisherOn(connection, from === 'the spool' ? folder.path : undefined, options)
      if (from === 'memory') counted.publisher.publish(record(1, size))
      await until(counted, ({ acknowledged }) => acknowledged === 1)
      await until(counted, empty)
      // The question for the stream stands behind the record, so that its late answer comes before a second try, unless a
      // busy machine delays it.
      const { total } = connection.sent
      assert.ok(total <= (isLate ? 2 : 1), `sent ${total} times`)
      const codes = connection.lines.entries.map(({ fields }) => fields.code)
      assert.equal(codes.includes('NO_ANSWER'), isLate)
      await using kept = await openRecordStream(server)
      assert.deepEqual((await kept.read()).map(serialOf), [1])
      assert.deepEqual(counted.lost.entries, [])
    })

test('records don’t move to disk while a large record takes its time on the way to the bus', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await using proxy = await startTcpProxy(server.port)
  await using connection = recordConnectionUnderTest({ ...server, port: proxy.port })
  await using counted = publisherOn(connection, folder.path)
  counted.publisher.publish(record(1))
  await until(counted, (status) => empty(status) && status.spool === 'on')
  proxy.slow(50_000_000)
  counted.publisher.publish(record(2, 20 * MIB))
  for (const serial of [3, 4, 5]) counted.publisher.publish(record(serial))
  await until(counted, empty)
  // A record that had moved to disk would have been sent from there too.
  assert.equal(connection.sent.total, 5)
  await using kept = await openRecordStream(server)
  assert.deepEqual((await kept.read()).map(serialOf), [1, 2, 3, 4, 5])
})
