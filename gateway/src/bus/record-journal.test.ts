import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { recordConnectionUnderTest } from './bus-under-test.ts'
import { empty, MIB, type PublisherUnderTest, publisherOn, record, spooled, until } from './publisher-under-test.ts'
import { RecordJournal } from './record-journal.ts'
import { RecordRoom } from './record-room.ts'

// Rules: docs/reference/kept-records.md#durability

const MAX_BYTES = 8 * MIB
const ROOM = new RecordRoom({ version: () => '', fits: () => true, hasShare: () => true }, 10_000)
/** The most calls that begin in one turn after they have waited. */
const MOST = 8

/** Leaves 1.6 MiB of the spool; each router may use a quarter of it. */
async function fillSpool(counted: PublisherUnderTest): Promise<void> {
  await until(counted, ({ spool }) => spool === 'on')
  for (const router of ['/1/', '/2/', '/3/', '/4/'])
    counted.publisher.publish({ ...record(1, 1.6 * MIB), router }, undefined)
  await until(counted, spooled(4))
}

test('with refusal a call waits for the room in the journal that its body needs', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await server.stop()
  await using connection = recordConnectionUnderTest(server)
  const options = { maxBytes: MAX_BYTES, journals: true, whenFull: 'refuse', waitMs: 50 } as const
  await using counted = publisherOn(connection, folder.path, options)
  await fillSpool(counted)
  const { publisher } = counted
  for (const bodyBytes of [0, 10_000, MIB, undefined]) assert.equal(publisher.waitForRoom('/a/', bodyBytes), undefined)
  assert.equal(await publisher.waitForRoom('/a/', 2 * MIB), false)
  // The record of such a body is cut.
  assert.equal(publisher.waitForRoom('/a/', 100 * MIB), undefined)
  await server.restart()
  await until(counted, empty)
  assert.equal(publisher.waitForRoom('/a/', 2 * MIB), undefined)
})

test('a record that the journal has no room for is counted, and a WARN names its router', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await server.stop()
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, folder.path, { maxBytes: MAX_BYTES, journals: true })
  await fillSpool(counted)
  const { publisher } = counted
  assert.notEqual((await publisher.journal({ ...record(2, 10_000), router: '/a/' })).entry, undefined)
  assert.equal(publisher.status.unjournalled, undefined)
  assert.equal((await publisher.journal({ ...record(3, 2 * MIB), router: '/b/' })).entry, undefined)
  const { level, fields } = await connection.lines.waitFor(({ msg }) => msg === 'records are not in the journal')
  assert.deepEqual([level, fields], ['WARN', { router: '/b/', records: 1, total: 1 }])
  assert.equal(publisher.status.unjournalled, 1)
})

test('records without room in the journal are logged once a minute', async () => {
  const lines: object[] = []
  let nowMs = 0
  const journal = new RecordJournal({
    spool: { journal: async () => undefined },
    disk: { hasRoom: () => false },
    maxRecordBytes: () => MIB,
    logger: { warn: (fields: object) => lines.push(fields) },
    nowMs: () => nowMs,
    room: ROOM,
  })
  const source = { id: '1', router: '/a/', pieces: [], isIncomplete: true, createdMs: 0 }
  for (const ms of [0, 1, 59_999, 60_000, 60_001]) {
    nowMs = ms
    await journal.append(source)
  }
  assert.deepEqual(lines, [
    { router: '/a/', records: 1, total: 1 },
    { router: '/a/', records: 3, total: 4 },
  ])
  assert.equal(journal.missed, 5)
})

for (const [name, isFreed] of [
  ['go on', true],
  ['are refused', false],
] as const) {
  test(`calls that waited for room in the journal ${name} a few in each turn`, async () => {
    let hasRoom = false
    let nowMs = 0
    const journal = new RecordJournal({
      spool: { journal: async () => undefined },
      disk: { hasRoom: () => hasRoom },
      maxRecordBytes: () => MIB,
      logger: { warn: () => undefined },
      nowMs: () => nowMs,
      room: ROOM,
    })
    const ended: boolean[] = []
    const calls = Array.from({ length: 100 }, async () => {
      ended.push((await journal.waitForRoom('/a/', 0, 1_000)) === true)
    })
    if (isFreed) hasRoom = true
    else nowMs = 1_000
    for (let before = 0; ended.length < calls.length; before = ended.length) {
      await nextTurn()
      assert.ok(ended.length - before <= MOST, `${ended.length - before} calls in one turn`)
    }
    await Promise.all(calls)
    assert.deepEqual(new Set(ended), new Set([isFreed]))
  })
}

test('a refused call waits neither for the refusals of another router nor for calls with a long body', async () => {
  let nowMs = 0
  const journal = new RecordJournal({
    spool: { journal: async () => undefined },
    disk: { hasRoom: () => false },
    maxRecordBytes: () => MIB,
    logger: { warn: () => undefined },
    nowMs: () => nowMs,
    room: ROOM,
  })
  const ended: string[] = []
  const call = async (router: string, bodyBytes: number): Promise<void> => {
    await journal.waitForRoom(router, bodyBytes, 1_000)
    ended.push(`${router} ${bodyBytes}`)
  }
  const calls = Array.from({ length: 100 }, () => call('/many/', 0))
  for (const bodyBytes of [Number.POSITIVE_INFINITY, 2 * MIB]) {
    calls.push(...Array.from({ length: 50 }, () => call('/few/', bodyBytes)))
  }
  calls.push(call('/few/', 0))
  nowMs = 1_000
  while (ended.length === 0) await nextTurn()
  assert.ok(ended.includes('/few/ 0'), `before it were refused: ${ended.join(', ')}`)
  await Promise.all(calls)
})

test('a call whose room was taken before its turn came waits again', async () => {
  const looks = [false, true, false, true, true]
  const journal = new RecordJournal({
    spool: { journal: async () => undefined },
    disk: { hasRoom: () => looks.shift() === true },
    maxRecordBytes: () => MIB,
    logger: { warn: () => undefined },
    nowMs: () => 0,
    room: ROOM,
  })
  assert.equal(await journal.waitForRoom('/a/', 0, 1_000), true)
  assert.deepEqual(looks, [])
})
