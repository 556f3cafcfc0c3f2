import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { spoolIn } from '../spool/spool-under-test.ts'
import { recordConnectionUnderTest } from './bus-under-test.ts'
import { DiskRoom } from './disk-room.ts'
import { MIB, type PublisherUnderTest, publisherOn, record, until } from './publisher-under-test.ts'
import { RecordQueue } from './record-queue.ts'

// Rules: docs/reference/kept-records.md#queue-and-spool

const LARGE = '/large/'
const OTHER = '/other/'
const QUEUE_BYTES = 4 * MIB
const SIZE = 10_000
/** The records of the large router are more than the queue holds. */
const FLOOD = 600

for (const spool of ['no spool', 'a spool of another process', 'a full spool'] as const)
  for (const whenFull of ['drop', 'refuse'] as const) {
    // Where calls are refused, a full spool refuses those of each router.
    if (spool === 'a full spool' && whenFull === 'refuse') continue
    test(`with ${spool} the records of a router that fills the memory stop no other router: ${whenFull}`, {
      timeout: 60_000,
    }, async () => {
      await using folder = await temporaryFolder()
      await using server = await startNatsServer({ jetstream: true })
      await server.stop()
      await using connection = recordConnectionUnderTest(server)
      await using holder = publisherOn(connection, folder.path)
      const directory = {
        'no spool': undefined,
        'a spool of another process': folder.path,
        'a full spool': `${folder.path}/a`,
      }
      await until(holder, (status) => status.spool === 'on')
      const options = { maxBytes: 4 * MIB, queueBytes: QUEUE_BYTES, waitMs: 50, whenFull }
      await using counted = publisherOn(connection, directory[spool], options)
      if (spool === 'a spool of another process')
        await connection.lines.waitFor(({ fields }) => fields.code === 'SPOOL_TAKEN')
      if (spool === 'a full spool') await fillSpool(counted)
      for (let serial = 0; serial < FLOOD; serial += 1) await call(counted, LARGE, SIZE)
      for (let serial = 0; serial < 50; serial += 1) {
        const before = counted.publisher.queuedBytes
        assert.equal(await call(counted, OTHER, SIZE), true)
        assert.ok(counted.publisher.queuedBytes >= before + SIZE, 'a record of the other router found no room')
        await call(counted, LARGE, SIZE)
      }
      assert.ok(counted.publisher.queuedBytes < QUEUE_BYTES + 51 * SIZE, 'the large router found room')
    })
  }

test('a spool whose writes pause takes no records', async () => {
  await using folder = await temporaryFolder()
  await using under = await spoolIn(folder.path, { maxBytes: MIB })
  const options = { spool: under.spool, queue: new RecordQueue(QUEUE_BYTES), maxBytes: MIB, queueBytes: QUEUE_BYTES }
  const disk = new DiskRoom(options)
  assert.equal(disk.takes(LARGE, SIZE), true)
  under.spool.noteFull()
  assert.equal(disk.takes(LARGE, SIZE), false)
})

/** Leaves 20 KB of the spool, and no record of the queue. */
async function fillSpool(counted: PublisherUnderTest): Promise<void> {
  await until(counted, ({ spool }) => spool === 'on')
  for (const router of ['/a/', '/b/', '/c/', '/d/']) await call(counted, router, MIB - 6_000)
  await until(counted, ({ spooled_records, queued_bytes }) => spooled_records === 4 && queued_bytes === 0)
}

/** Runs a call; returns false where it is refused. */
async function call({ publisher }: PublisherUnderTest, router: string, size: number): Promise<boolean> {
  // Refused calls of the large router are not awaited one by one.
  const room = publisher.waitForRoom(router, size)
  if (room !== undefined && router === LARGE) return false
  if ((await room) === false) return false
  publisher.publish({ ...record(0, size), router })
  return true
}
