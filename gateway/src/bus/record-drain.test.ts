import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { open, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { openRecordStream } from '@llm-gateway/test/fake/record-stream'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { type Line, recordConnectionUnderTest } from './bus-under-test.ts'
import { MIB, type PublisherUnderTest, publisherOn, record, serialOf, spooled, until } from './publisher-under-test.ts'
import type { RecordText } from './record-message.ts'

test('the process ends while the disk hangs', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await server.stop()
  {
    await using connection = recordConnectionUnderTest(server)
    await using counted = publisherOn(connection, folder.path)
    counted.publisher.publish(record(1))
    await until(counted, spooled(1))
  }
  await using connection = recordConnectionUnderTest(server)
  const counted = publisherOn(connection, folder.path, { diskLimitMs: 100 })
  await until(counted, spooled(1))
  // Opening a pipe waits for its other end, as a share that hangs lets all calls wait.
  const [name = ''] = (await readdir(folder.path)).filter((file) => file.endsWith('.records'))
  await rm(join(folder.path, name))
  await promisify(execFile)('mkfifo', [join(folder.path, name)])
  await server.restart()
  await connection.lines.waitFor(({ msg }) => msg === 'bus keeps records')
  await counted.publisher.drain(100)
  await counted.publisher.close()
  assert.equal(counted.publisher.isDiskHung, true)
  await (await open(join(folder.path, name), 'r+')).close()
})

/** A record of a router of its own: no router may use the whole spool. */
const recordAlone = (serial: number): RecordText => ({ ...record(serial, 1_000), router: `/${serial}/` })

/** Publishes records that are in the journal, as the records of answered calls are. */
async function publishJournalled({ publisher }: PublisherUnderTest, serials: readonly number[]): Promise<void> {
  for (const serial of serials) {
    const ticket = await publisher.journal(recordAlone(serial))
    publisher.publish(recordAlone(serial), undefined, ticket)
  }
}

const spoolIsFull = ({ msg, fields }: Line): boolean =>
  msg === 'spool accepts no records' && fields.code === 'SPOOL_FULL'

test('at a stop with a full spool only records that are in no journal are lost', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await server.stop()
  {
    await using connection = recordConnectionUnderTest(server)
    await using counted = publisherOn(connection, folder.path, { journals: true, maxBytes: 5_000 })
    await publishJournalled(counted, [1, 2, 3, 4])
    counted.publisher.publish(recordAlone(5))
    await connection.lines.waitFor(spoolIsFull)
    await counted.publisher.drain(0)
    assert.deepEqual(counted.lost.entries, ['1 exit'])
    const { fields } = await connection.lines.waitFor(({ msg }) => msg === 'records stay in the spool')
    assert.equal(fields.journalled_records, 4)
  }
  await server.restart()
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, folder.path, { journals: true })
  await until(counted, ({ acknowledged }) => acknowledged === 4)
  await using kept = await openRecordStream(server)
  assert.deepEqual((await kept.read()).map(serialOf), [1, 2, 3, 4])
  assert.deepEqual(counted.lostBefore.entries, ['1 exit'])
})

test('journalled records whose folder was removed are lost at a stop', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await server.stop()
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, folder.path, { journals: true, maxBytes: 5_000 })
  await publishJournalled(counted, [1, 2, 3, 4])
  counted.publisher.publish(recordAlone(5))
  await connection.lines.waitFor(spoolIsFull)
  await rm(folder.path, { recursive: true })
  await writeFile(folder.path, '')
  await counted.publisher.drain(0)
  assert.deepEqual(counted.lost.entries, ['5 exit'])
})

for (const { name, waitMs, queueBytes } of [
  { name: 'the memory', waitMs: 2_000, queueBytes: 32 * MIB },
  { name: 'records that wait for room in memory', waitMs: 60_000, queueBytes: MIB },
])
  test(`a stop waits for the bus where the spool has no room for ${name}`, { timeout: 60_000 }, async () => {
    await using folder = await temporaryFolder()
    await using server = await startNatsServer({ jetstream: true })
    await server.stop()
    await using connection = recordConnectionUnderTest(server)
    await using counted = publisherOn(connection, folder.path, { maxBytes: 8 * MIB, waitMs, queueBytes })
    await until(counted, (status) => status.spool === 'on')
    const serials = Array.from({ length: 12 }, (_, serial) => serial)
    for (const serial of serials) counted.publisher.publish(record(serial, 0.9 * MIB))
    // The router leaves a quarter of the spool to others.
    await until(counted, ({ spooled_records }) => spooled_records === 6)
    const drained = counted.publisher.drain(60_000)
    await server.restart()
    await drained
    assert.deepEqual(counted.lost.entries, [])
    await using kept = await openRecordStream(server)
    assert.deepEqual(
      (await kept.read()).map(serialOf).toSorted((one, other) => one - other),
      serials,
    )
  })

test('a stop while the spool is full writes the records that have room once no others follow', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await server.stop()
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, folder.path, { maxBytes: 5_000 })
  await until(counted, (status) => status.spool === 'on')
  counted.publisher.publish(record(1, 1_000))
  await until(counted, spooled(1))
  for (const serial of [2, 3, 4]) counted.publisher.publish(record(serial, 1_000))
  await until(counted, ({ spooled_records }) => spooled_records === 3)
  counted.publisher.publish({ ...record(5, 3_000), router: '/b/' })
  await connection.lines.waitFor(spoolIsFull)
  await counted.publisher.drain(0)
  assert.deepEqual([counted.publisher.status.spooled_records, counted.lost.entries], [4, ['1 exit']])
})
