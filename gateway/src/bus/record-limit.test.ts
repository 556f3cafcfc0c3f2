import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { openRecordStream, type RecordStream } from '@llm-gateway/test/fake/record-stream'
import { connected, recordConnectionUnderTest } from './bus-under-test.ts'
import { changeBefore, empty, publisherOn, record, until } from './publisher-under-test.ts'
import { CuttablePart } from './record-message.ts'

// Rules: docs/reference/kept-records.md#stream, docs/reference/record.md#cuts

const config = { name: 'records_llm', subjects: ['llm.gl.logger'] }

/** A record of a payload and two fields of 40,000 bytes each. */
const cuttable = (serial: number) => {
  const value = Buffer.from(JSON.stringify('x'.repeat(40_000)))
  const parts = ['outbound_payload', 'a', 'b'].flatMap((name) => [`,"${name}":`, new CuttablePart(name, value)])
  return { router: '/a/', parts: [`{"serial":${serial}`, ...parts], cut: [] }
}

/** Returns the serial numbers of the stored records; those of cut ones are negative. */
async function storedIn(kept: RecordStream): Promise<readonly number[]> {
  const records = (await kept.read()).map(({ text }) => JSON.parse(text))
  return records.map(({ serial, cut }) => (cut === undefined ? serial : -serial))
}

test('records are cut to a max_msg_size that the stream was given while they are published', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using kept = await openRecordStream(server)
  await kept.request('CREATE', config)
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, undefined)
  counted.publisher.publish(cuttable(1))
  await until(counted, empty)
  await kept.request('UPDATE', { ...config, max_msg_size: 20_000 })
  for (const serial of [2, 3, 4]) counted.publisher.publish(cuttable(serial))
  await until(counted, empty)
  assert.deepEqual(await storedIn(kept), [1, -2, -3, -4])
  assert.deepEqual(counted.lost.entries, [])
})

test('the first record of a connection is cut to a max_msg_size that the stream was given since its settings were read', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using kept = await openRecordStream(server)
  await kept.request('CREATE', config)
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, undefined)
  await connection.lines.waitFor(({ msg }) => msg === 'bus keeps records')
  await kept.request('UPDATE', { ...config, max_msg_size: 100_000 })
  counted.publisher.publish(cuttable(1))
  // The limit becomes smaller once more before the cut record is sent.
  const isCut = ({ length }: { length: number }): boolean => length < 100_000
  changeBefore(connection, isCut, () => kept.request('UPDATE', { ...config, max_msg_size: 20_000 }))
  await until(counted, empty)
  assert.deepEqual(await storedIn(kept), [-1])
  assert.deepEqual(counted.lost.entries, [])
})

test('records that a smaller limit makes too large are lost a few in each turn, and others come from the room’s line', async () => {
  const records = 3_000
  await using server = await startNatsServer({ jetstream: true })
  await using kept = await openRecordStream(server)
  await kept.request('CREATE', { name: 'records_llm', subjects: ['llm.gl.logger'], max_msg_size: 1_000 })
  await using connection = recordConnectionUnderTest(server)
  let lost = 0
  let mostInTurn = 0
  let before = 0
  const onLost = (): void => {
    if (lost === before) {
      setImmediate(() => {
        mostInTurn = Math.max(mostInTurn, lost - before)
        before = lost
      })
    }
    lost += 1
  }
  await using counted = publisherOn(connection, undefined, { queueBytes: 400_000, onLost })
  // The gateway learns the limit after the bus is connected: most records wait for room by then.
  await connected(connection)
  for (let serial = 0; serial < records; serial += 1) counted.publisher.publish(record(serial, 4_000))
  await until(counted, () => lost === records)
  assert.deepEqual(counted.publisher.status.lost, { too_large: records })
  assert.ok(mostInTurn <= 64, `${mostInTurn} records in one turn`)
})
