import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { openRecordStream } from '@llm-gateway/test/fake/record-stream'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { disconnected, recordConnectionUnderTest } from './bus-under-test.ts'
import { empty, MIB, publisherOn, record, serialOf, spooled, until } from './publisher-under-test.ts'
import type { RecordMemory } from './record-memory.ts'

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

/** A record's memory that counts its releases. */
function memory(foundRoom = true): RecordMemory & { readonly ended: () => number } {
  let ended = 0
  const counted = { interrupt: () => undefined, release: () => (ended += 1), ended: () => ended }
  return { foundRoom, takeOver: () => undefined, ...counted }
}

test('while the bus is away records move to disk and free their memory; afterwards each arrives once, in order', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, folder.path)
  counted.publisher.publish(record(1))
  await until(counted, empty)
  await server.stop()
  await disconnected(connection)
  const held = upTo(500).map(() => memory())
  held.forEach((one, index) => {
    counted.publisher.publish(record(index + 2, index * 40), one)
  })
  await until(counted, spooled(500))
  assert.deepEqual(new Set(held.map(({ ended }) => ended())), new Set([1]))
  await server.restart()
  await until(counted, empty)
  await using kept = await openRecordStream(server)
  assert.deepEqual((await kept.read()).map(serialOf), upTo(501))
  assert.equal(counted.publisher.status.acknowledged, 501)
  assert.deepEqual(counted.lost.entries, [])
})

test('sent records of a paused bus move to disk, and the stream stores each once afterwards', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, folder.path)
  counted.publisher.publish(record(1))
  await until(counted, empty)
  await server.kill('SIGSTOP')
  for (const serial of upTo(100)) counted.publisher.publish(record(serial + 1, 100))
  await until(counted, spooled(100))
  const sent = connection.sent.total
  for (const serial of upTo(100)) counted.publisher.publish(record(serial + 101))
  await until(counted, spooled(200))
  // While the bus is silent, no later record is sent from memory, and at most one batch from disk.
  assert.ok(connection.sent.total <= sent + 200, `${connection.sent.total - sent} sent`)
  await server.kill('SIGCONT')
  await until(counted, empty)
  counted.publisher.publish(record(202))
  await until(counted, empty)
  await using kept = await openRecordStream(server)
  const serials = (await kept.read()).map(serialOf)
  assert.deepEqual(
    serials.toSorted((one, other) => one - other),
    upTo(202),
  )
})

test('the process ends while a bus reads no further spooled record, and the record stays in the spool', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, folder.path)
  counted.publisher.publish(record(1))
  await until(counted, empty)
  await server.kill('SIGSTOP')
  counted.publisher.publish(record(2, 20 * MIB))
  // The first two attempts are those of the queue, the later ones come from the spool.
  await connection.sent.waitForCount(5)
  await counted.publisher.drain(100)
  assert.equal(counted.publisher.status.spooled_records, 1)
  assert.deepEqual(counted.lost.entries, [])
  await server.kill('SIGCONT')
})

test('a bus slower than the calls loses no record: the queue’s surplus moves to disk', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, folder.path, { queueBytes: 4 * MIB, waitMs: 2_000 })
  for (const serial of upTo(60)) counted.publisher.publish(record(serial, MIB))
  await until(counted, ({ acknowledged }) => acknowledged === 60)
  await using kept = await openRecordStream(server)
  assert.deepEqual(
    (await kept.read()).map(serialOf).toSorted((one, other) => one - other),
    upTo(60),
  )
  assert.deepEqual(counted.lost.entries, [])
})

test('a process logs the records that it leaves in the spool, and the next process sends them with the same ids', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await server.stop()
  {
    await using connection = recordConnectionUnderTest(server)
    await using counted = publisherOn(connection, folder.path)
    for (const serial of upTo(20)) counted.publisher.publish(record(serial, 1_000))
    await counted.publisher.drain(60_000)
    const { fields } = await connection.lines.waitFor(({ msg }) => msg === 'records stay in the spool')
    assert.equal(fields.spooled_records, 20)
    assert.ok(Number(fields.spooled_bytes) > 20_000)
    assert.match(String(fields.oldest_spooled), /^\d{4}-/)
    counted.publisher.publish(record(21))
    assert.deepEqual(counted.lost.entries, ['1 exit'])
  }
  await server.restart()
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, folder.path, { messageIdPrefix: 'GATEWAY1-2' })
  counted.publisher.publish(record(22))
  await until(counted, ({ spool }) => spool === 'on')
  await until(counted, empty)
  await using kept = await openRecordStream(server)
  const records = await kept.read()
  assert.deepEqual(
    records.filter(({ messageId }) => messageId !== 'GATEWAY1-2-1').map(({ messageId }) => messageId),
    upTo(20).map((serial) => `GATEWAY1-1-${serial}`),
  )
  assert.deepEqual([...counted.lostBefore.entries, counted.publisher.status.lost], ['1 exit', { exit: 1 }])
})

test('records that wait for room when the process ends are written to disk', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, folder.path, { queueBytes: 4 * MIB })
  counted.publisher.publish(record(1))
  await until(counted, empty)
  await server.stop()
  await disconnected(connection)
  const held = upTo(4).map(() => memory())
  held.forEach((one, index) => {
    counted.publisher.publish(record(index + 2, 2 * MIB), one)
  })
  await counted.publisher.drain(1_000)
  assert.deepEqual(counted.lost.entries, [])
  assert.deepEqual(
    held.map(({ ended }) => ended()),
    [1, 1, 1, 1],
  )
  assert.equal(Object(counted.publisher.status).spooled_records, 4)
})

test('without room in queue and spool the record is dropped or the call refused, by record.when_full', async () => {
  for (const whenFull of ['drop', 'refuse'] as const) {
    await using folder = await temporaryFolder()
    await using server = await startNatsServer({ jetstream: true })
    await server.stop()
    await using connection = recordConnectionUnderTest(server)
    await using counted = publisherOn(connection, folder.path, {
      maxBytes: 30_000,
      queueBytes: 20_000,
      waitMs: 50,
      whenFull,
    })
    await until(counted, ({ spool }) => spool === 'on')
    let refused = 0
    for (const serial of upTo(30)) {
      if ((await counted.publisher.waitForRoom('/a/')) === false) refused += 1
      else counted.publisher.publish(record(serial, 2_000))
    }
    await server.restart()
    await until(counted, empty)
    const kept = 30 - refused - counted.lost.total
    // A router may use three quarters of the spool's 30 kB. Where calls are refused, records in memory need room on disk
    // too, and a sixteenth stays free.
    const [least, most] = whenFull === 'refuse' ? [8, 12] : [15, 25]
    assert.ok(kept >= least && kept <= most, `${kept} kept, ${refused} refused, ${counted.lost.total} lost`)
    assert.equal(whenFull === 'refuse' ? counted.lost.total : refused, 0)
    assert.equal(await counted.publisher.waitForRoom('/a/'), undefined)
    await using reader = await openRecordStream(server)
    assert.equal((await reader.read()).length, kept)
  }
})

test('with record.when_full refuse, no record of an admitted call is dropped: among many, large, or at the exit', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await server.stop()
  {
    await using connection = recordConnectionUnderTest(server)
    await using counted = publisherOn(connection, folder.path, {
      maxBytes: 160_000,
      queueBytes: 20_000,
      waitMs: 50,
      whenFull: 'refuse',
    })
    await until(counted, ({ spool }) => spool === 'on')
    let serial = 0
    let refused = 0
    const publishNext = (): void => {
      serial += 1
      counted.publisher.publish(record(serial, serial === 1 ? 25_000 : 2_000))
    }
    const letIn = async (): Promise<void> => {
      if ((await counted.publisher.waitForRoom('/a/')) === false) refused += 1
      else publishNext()
    }
    // All calls of a round see the same room and make their records afterwards.
    for (let round = 0; round < 15; round += 1) {
      const calls = await Promise.all(Array.from({ length: 8 }, () => counted.publisher.waitForRoom('/a/') ?? true))
      refused += calls.filter((found) => !found).length
      for (const _ of calls.filter((found) => found)) publishNext()
    }
    while (refused === 0) await letIn()
    assert.deepEqual([counted.lost.entries, refused > 0, serial > 30], [[], true, true])
    // The bus is still away: the records in memory have room on disk.
    await counted.publisher.drain(60_000)
    assert.deepEqual(counted.lost.entries, [])
    assert.equal(counted.publisher.status.spooled_records, serial)
    assert.ok(counted.publisher.status.spooled_bytes <= 160_000)
  }
  await server.restart()
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, folder.path)
  await until(counted, ({ spool }) => spool === 'on')
  await until(counted, empty)
  await using reader = await openRecordStream(server)
  assert.ok((await reader.read()).length > 30)
})

test('with record.when_full refuse, records of calls that awaited no room are dropped beyond the queue', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await server.stop()
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, undefined, { queueBytes: 20_000, waitMs: 50, whenFull: 'refuse' })
  for (const serial of upTo(100)) counted.publisher.publish(record(serial, 2_000), memory(false))
  const { queuedBytes } = counted.publisher
  assert.ok(queuedBytes > 0 && queuedBytes <= 20_000, `${queuedBytes} bytes wait`)
  assert.ok(counted.lost.total >= 90)
})

test('spooled records are also sent to a bus without a stream, where a record that nobody reads is lost', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer()
  await server.stop()
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, folder.path)
  for (const serial of upTo(50)) counted.publisher.publish(record(serial, 1_000))
  await until(counted, spooled(50))
  await server.restart()
  await until(counted, empty)
  assert.equal(counted.publisher.status.stream, 'missing')
  assert.deepEqual(counted.publisher.status.lost, { no_subscriber: 50 })
})

test('a spooled record that is too large for the stream is counted as lost once, however often its batch is tried', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await using kept = await openRecordStream(server)
  const config = { name: 'records_llm', subjects: ['llm.gl.logger'], storage: 'file', discard: 'new', max_msgs: 1 }
  await kept.request('CREATE', config)
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, folder.path)
  counted.publisher.publish(record(1))
  await until(counted, empty)
  counted.publisher.publish(record(2))
  counted.publisher.publish(record(3, 20_000))
  counted.publisher.publish(record(4))
  await until(counted, spooled(3))
  await kept.request('UPDATE', { ...config, max_msg_size: 10_000 })
  // The full stream refuses the records 2 and 4 of each try.
  await connection.sent.waitForCount(connection.sent.total + 6)
  await kept.request('UPDATE', { ...config, max_msgs: 100, max_msg_size: 10_000 })
  await until(counted, empty)
  assert.deepEqual((await kept.read()).map(serialOf), [1, 2, 4])
  assert.deepEqual(counted.lost.entries, ['1 too_large'])
  assert.equal(counted.publisher.status.acknowledged, 3)
})

test('a spooled record that the stream itself refuses for its size is lost, and does not count as acknowledged', async () => {
  await using folder = await temporaryFolder()
  // An account that can't read the stream's largest message learns of it by the refusal.
  const permissions = '{ publish: ["llm.>"], subscribe: ["_INBOX.>"] }'
  const users = `{ user: "a", password: "b", permissions: ${permissions} }, { user: "root", password: "c" }`
  const extra = `authorization { users: [ ${users} ] }\nno_auth_user: "a"`
  await using server = await startNatsServer({ jetstream: true, token: undefined, extra })
  const open = () => openRecordStream({ ...server, user: { name: 'root', password: 'c' } })
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, folder.path)
  {
    await using root = await open()
    await root.request('CREATE', { name: 'records_llm', subjects: ['llm.gl.logger'], max_msg_size: 10_000 })
    counted.publisher.publish(record(1))
    await connection.lines.waitFor(({ msg }) => msg === 'bus keeps records')
  }
  await server.stop()
  // The PONG behind the first record may have come before its acknowledgement.
  const { acknowledged } = counted.publisher.status
  for (const [serial, size] of [
    [2, 0],
    [3, 20_000],
    [4, 0],
  ] as const)
    counted.publisher.publish(record(serial, size))
  await until(counted, spooled(3))
  await server.restart()
  await until(counted, empty)
  await using root = await open()
  assert.deepEqual((await root.read()).map(serialOf), [1, 2, 4])
  assert.deepEqual([counted.lost.entries, counted.publisher.status.acknowledged - acknowledged], [['1 too_large'], 2])
})

test('spooled records are sent at 20 MB a second at most', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await server.stop()
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, folder.path)
  for (const serial of upTo(40)) counted.publisher.publish(record(serial, MIB / 2))
  await until(counted, spooled(40))
  const begun = performance.now()
  await server.restart()
  await until(counted, empty)
  // A shorter time can't come from a slow machine.
  assert.ok(performance.now() - begun >= 1_000)
})

test('a journalled record whose call ends after the last records have left stays in the journal', async () => {
  await using folder = await temporaryFolder()
  await using server = await startNatsServer({ jetstream: true })
  await using connection = recordConnectionUnderTest(server)
  {
    await using counted = publisherOn(connection, folder.path, { journals: true })
    const ticket = await counted.publisher.journal(record(1))
    await counted.publisher.drain(1_000)
    counted.publisher.publish(record(1), undefined, ticket)
    assert.deepEqual(counted.lost.entries, [])
  }
  await using next = recordConnectionUnderTest(server)
  await using counted = publisherOn(next, folder.path, { journals: true })
  await until(counted, ({ acknowledged }) => acknowledged === 1)
  await using kept = await openRecordStream(server)
  assert.deepEqual((await kept.read()).map(serialOf), [1])
})
