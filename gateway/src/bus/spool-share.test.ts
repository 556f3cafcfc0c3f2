import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { openRecordStream } from '@llm-gateway/test/fake/record-stream'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { recordConnectionUnderTest } from './bus-under-test.ts'
import {
  empty,
  MIB,
  type PublisherUnderTest,
  publisherOn,
  record,
  serialOf,
  spooled,
  until,
} from './publisher-under-test.ts'

// Rules: docs/reference/kept-records.md#queue-and-spool

const LARGE = '/large/'
const OTHER = '/other/'
/** Bytes of the records of the other router: small ones and large ones. */
const SIZES = [...Array.from({ length: 10 }, () => 10_000), MIB * 1.2, MIB * 1.2]
const FIRST_OTHER = 10_000
const OTHERS = SIZES.map((_, index) => FIRST_OTHER + index)

/** Records of the large router that fill its share of the spool and of the memory. */
const FLOODS = [
  { name: 'large records', size: 1.5 * MIB, count: 34, maxBytes: 48 * MIB, withJournal: [false, true] },
  { name: 'small records', size: 10_000, count: 1_900, maxBytes: 16 * MIB, withJournal: [false] },
  // The journal needs room for the settled records of the other router, too.
  { name: 'small records', size: 10_000, count: 2_700, maxBytes: 24 * MIB, withJournal: [true] },
]

for (const { name, size, count, maxBytes, withJournal } of FLOODS)
  for (const whenFull of ['drop', 'refuse'] as const)
    for (const journals of withJournal)
      test(`a router whose ${name} fill its share of the spool loses records of no other router: ${whenFull}${journals ? ', journal' : ''}`, {
        timeout: 60_000,
      }, async () => {
        await using folder = await temporaryFolder()
        await using server = await startNatsServer({ jetstream: true })
        await server.stop()
        await using connection = recordConnectionUnderTest(server)
        const options = { maxBytes, queueBytes: 4 * MIB, waitMs: 300, whenFull, journals }
        await using counted = publisherOn(connection, folder.path, options)
        await until(counted, ({ spool }) => spool === 'on')
        // Calls that begin at the same moment see the same room and make more records than fit.
        const began = await Promise.all(
          Array.from({ length: count }, () => counted.publisher.waitForRoom(LARGE) ?? true),
        )
        for (const [serial] of began.entries()) await send(counted, LARGE, serial, size)
        await connection.lines.waitFor(({ msg }) => msg === 'spool leaves its rest to other routers')
        for (const [index, bytes] of SIZES.entries()) {
          const late = begin(counted, LARGE, count + index, size)
          assert.equal(
            await begin(counted, OTHER, FIRST_OTHER + index, bytes),
            true,
            `a call of ${bytes} bytes is refused`,
          )
          assert.equal(await late, whenFull === 'drop')
        }
        // The large records of the other router find room while the bus is still away.
        if (whenFull === 'drop') await until(counted, () => counted.publisher.waitForRoom(OTHER, 2 * MIB) === undefined)
        await server.restart()
        await until(counted, empty)
        await using kept = await openRecordStream(server)
        const serials = (await kept.read()).map(serialOf).filter((serial) => serial >= FIRST_OTHER)
        assert.deepEqual(serials.toSorted(), OTHERS)
        assert.notEqual(await counted.publisher.waitForRoom(LARGE), false)
        assert.equal(counted.lost.total > 0, whenFull === 'drop')
      })

test('a record that does not fit into the rest of the spool stops and loses no record of another router', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await server.stop()
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, folder.path, {
    maxBytes: 24 * MIB,
    queueBytes: 16 * MIB,
    journals: true,
  })
  await until(counted, ({ spool }) => spool === 'on')
  const publish = (serial: number, router: string, size: number): void =>
    counted.publisher.publish({ ...record(serial, size), router })
  for (const serial of [1, 2, 3, 4]) publish(serial, `/${serial}/`, 4.9 * MIB)
  await until(counted, spooled(4))
  publish(5, LARGE, 5.5 * MIB)
  await connection.lines.waitFor(({ msg }) => msg === 'spool leaves its rest to other routers')
  for (const serial of [6, 7, 8]) {
    const text = { ...record(serial, 10_000), router: OTHER }
    const ticket = await counted.publisher.journal(text)
    assert.notEqual(ticket.entry, undefined)
    counted.publisher.publish(text, undefined, ticket)
    await until(counted, ({ spooled_records }) => spooled_records === serial - 1)
  }
  publish(9, OTHER, 10_000)
  await counted.publisher.drain(0)
  assert.deepEqual([counted.publisher.status.spooled_records, counted.lost.entries], [8, ['1 exit']])
})

test('at the end of the process a router’s records may fill the rest of the spool', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await server.stop()
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, folder.path, { maxBytes: 24 * MIB, queueBytes: 16 * MIB })
  await until(counted, ({ spool }) => spool === 'on')
  for (let serial = 0; serial < 14; serial += 1) await send(counted, LARGE, serial, 1.5 * MIB)
  await send(counted, OTHER, 100, MIB)
  await counted.publisher.drain(60_000)
  assert.deepEqual([counted.publisher.status.spooled_records, counted.lost.entries], [15, []])
})

/** Runs a call; returns false where the call is refused. */
async function begin(counted: PublisherUnderTest, router: string, serial: number, size: number): Promise<boolean> {
  if ((await counted.publisher.waitForRoom(router, size)) === false) return false
  await send(counted, router, serial, size)
  return true
}

async function send({ publisher }: PublisherUnderTest, router: string, serial: number, size: number): Promise<void> {
  const text = { ...record(serial, size), router }
  const ticket = publisher.journals ? await publisher.journal(text) : undefined
  publisher.publish(text, undefined, ticket)
}

test('a record that stays in memory stops no records that go to disk', { timeout: 60_000 }, async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await server.stop()
  await using connection = recordConnectionUnderTest(server)
  const options = { maxBytes: 32 * MIB, queueBytes: 8 * MIB, waitMs: 60_000 }
  await using counted = publisherOn(connection, folder.path, options)
  await until(counted, ({ spool }) => spool === 'on')
  const { publisher } = counted
  const fill = async (router: string, size: number, count: number): Promise<void> => {
    for (let serial = 0; serial < count; serial += 1) {
      publisher.publish({ ...record(serial, size), router })
      await until(counted, ({ queued_bytes }) => queued_bytes === 0)
    }
  }
  // Both routers have more than a quarter of the spool, and no further record has room beside the last quarter.
  await fill('/full/', 1.05 * MIB, 8)
  await fill(LARGE, 1.05 * MIB, 14)
  await fill(LARGE, 100_000, 6)
  for (const serial of [1, 2, 3, 4, 5]) publisher.publish({ ...record(serial, 1.1 * MIB), router: LARGE })
  publisher.publish({ ...record(6, 0.6 * MIB), router: '/full/' })
  const stuck = publisher.queuedBytes
  publisher.publish({ ...record(7, 1.3 * MIB), router: '/full/' })
  assert.equal(publisher.queuedBytes, stuck, 'the record of the full router has room')
  const { spooled_records: before } = publisher.status
  for (const serial of [8, 9, 10]) publisher.publish({ ...record(serial, 1.3 * MIB), router: OTHER })
  await until(counted, ({ spooled_records }) => spooled_records === before + 3)
  await server.restart()
  await until(counted, empty)
  assert.deepEqual(counted.lost.entries, [])
})
