import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { openRecordStream } from '@llm-gateway/test/fake/record-stream'
import { connected, type RecordConnectionUnderTest, recordConnectionUnderTest, recordText } from './bus-under-test.ts'
import { createMessageHeads } from './message-head.ts'
import { QueuedRecord } from './record-fifo.ts'
import { RecordPages } from './record-pages.ts'
import { RecordQueue } from './record-queue.ts'
import { RecordSender } from './record-sender.ts'
import { RecordSpill } from './record-spill.ts'
import { RecordStream } from './record-stream.ts'

const SUBJECT = 'llm.gl.logger'

/** Each record has room. */
const ROOM = { admission: () => ({ admits: () => true, isFull: () => false }) }
const noteFull = (): void => undefined
const endPause = (): void => undefined

const CASES = [
  { name: 'records that the spool refuses after the bus has answered are sent again', bus: 'answers first' },
  { name: 'records that the spool refuses before the bus answers are sent again', bus: 'answers' },
  { name: 'records that the spool refuses while the bus never answers are sent again', bus: 'loses the record' },
  { name: 'a record that arrives while the spool ends is sent', bus: 'loses the record', endsSpool: true },
  {
    name: 'records that the spool refuses once, after the bus has answered, are sent again',
    bus: 'answers first',
    acceptsAgain: true,
  },
] as const

for (const { name, bus, ...rest } of CASES) {
  test(name, { timeout: 120_000 }, async () => {
    await using server = await startNatsServer({ jetstream: true })
    await using connection = recordConnectionUnderTest(server)
    const { publish: write } = connection
    const { queue, sender, publish } = senderOn(connection)
    await connected(connection)
    publish(1)
    await until(() => queue.count === 0)
    const isLost = bus === 'loses the record'
    if (isLost) connection.publish = () => true
    else await server.kill('SIGSTOP')
    publish(2)
    await until(() => sender.silentMs > 200)
    // A full disk: the answers of the bus may come while the spool still tries to write.
    let isAsked = false
    const spool = {
      acceptsRecords: true,
      room: ROOM,
      noteFull,
      endPause,
      opened: Promise.resolve(),
      append: async (): Promise<boolean> => {
        isAsked = true
        spool.acceptsRecords = 'acceptsAgain' in rest
        connection.publish = write
        if ('endsSpool' in rest) publish(3)
        if (bus !== 'answers first') return 'endsSpool' in rest
        await server.kill('SIGCONT')
        await until(() => sender.silentMs === 0)
        return false
      },
    }
    const spill = new RecordSpill({ queue, sender, spool, isSlow: () => false, onSpilled: () => undefined })
    await until(() => isAsked)
    if (!isLost) await server.kill('SIGCONT')
    await until(() => queue.count === 0)
    spill.close()
    sender.close()
    await using kept = await openRecordStream(server)
    assert.deepEqual(
      (await kept.read()).map(({ text }) => text),
      ['{"serial":1}', 'endsSpool' in rest ? '{"serial":3}' : '{"serial":2}'],
    )
  })
}

test('records go to disk once the bus is silent, also after a check that found all records sent', {
  timeout: 120_000,
}, async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using connection = recordConnectionUnderTest(server)
  const { queue, sender, publish } = senderOn(connection)
  await connected(connection)
  publish(1)
  await until(() => queue.count === 0)
  await server.kill('SIGSTOP')
  let spooled = 0
  const append = async (records: readonly unknown[]): Promise<boolean> => {
    spooled += records.length
    return true
  }
  const spool = { acceptsRecords: true, room: ROOM, noteFull, endPause, opened: Promise.resolve(), append }
  let isSlow = true
  const spill = new RecordSpill({ queue, sender, spool, isSlow: () => isSlow, onSpilled: () => undefined })
  publish(2)
  await until(() => queue.sentCount === 1)
  spill.check()
  assert.equal(spooled, 0)
  isSlow = false
  await until(() => spooled === 1)
  await spill.spillAll()
  spill.close()
  sender.close()
  await server.kill('SIGCONT')
})

test('a sender whose records went to disk sends again without an answer, since the spool may end', {
  timeout: 120_000,
}, async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using connection = recordConnectionUnderTest(server)
  const { publish: write } = connection
  const { queue, sender, publish } = senderOn(connection, 2_000)
  await connected(connection)
  publish(1)
  await until(() => queue.count === 0)
  connection.publish = () => true
  publish(2)
  const spool = {
    acceptsRecords: true,
    room: ROOM,
    noteFull,
    endPause,
    opened: Promise.resolve(),
    append: async () => true,
  }
  const spill = new RecordSpill({ queue, sender, spool, isSlow: () => false, onSpilled: () => undefined })
  await until(() => queue.count === 0)
  spool.acceptsRecords = false
  connection.publish = write
  publish(3)
  await until(() => queue.count === 0)
  spill.close()
  sender.close()
  await using kept = await openRecordStream(server)
  assert.deepEqual(
    (await kept.read()).map(({ text }) => text),
    ['{"serial":1}', '{"serial":3}'],
  )
})

test('a record without room in a full spool is sent again, since the bus may never answer', {
  timeout: 120_000,
}, async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using connection = recordConnectionUnderTest(server)
  const { publish: write } = connection
  const { queue, sender, publish } = senderOn(connection)
  await connected(connection)
  publish(1)
  await until(() => queue.count === 0)
  connection.publish = () => true
  publish(2)
  let full = 0
  const spool = {
    acceptsRecords: true,
    room: { admission: () => ({ admits: () => false, isFull: () => true }) },
    noteFull: (): void => {
      full += 1
      spool.acceptsRecords = false
      connection.publish = write
    },
    endPause,
    opened: Promise.resolve(),
    append: async () => assert.fail('an empty batch is written'),
  }
  const spill = new RecordSpill({ queue, sender, spool, isSlow: () => false, onSpilled: () => undefined })
  await until(() => queue.count === 0)
  spill.close()
  sender.close()
  assert.equal(full, 1)
  await using kept = await openRecordStream(server)
  assert.deepEqual(
    (await kept.read()).map(({ text }) => text),
    ['{"serial":1}', '{"serial":2}'],
  )
})

test('a sender whose records find no room in a spool that is not full sends nothing until the bus answers', {
  timeout: 120_000,
}, async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using connection = recordConnectionUnderTest(server)
  const { queue, sender, publish } = senderOn(connection)
  await connected(connection)
  publish(1)
  await until(() => queue.count === 0)
  await server.kill('SIGSTOP')
  publish(2)
  let asked = 0
  const spool = {
    acceptsRecords: true,
    room: {
      admission: () => {
        asked += 1
        return { admits: () => false, isFull: () => false }
      },
    },
    noteFull: () => assert.fail('the spool is not full'),
    endPause,
    opened: Promise.resolve(),
    append: async () => assert.fail('an empty batch is written'),
  }
  const spill = new RecordSpill({ queue, sender, spool, isSlow: () => false, onSpilled: () => undefined })
  await until(() => asked > 0)
  publish(3)
  const before = asked
  await until(() => asked > before)
  assert.deepEqual([queue.sentCount, queue.waitingCount], [1, 1])
  await server.kill('SIGCONT')
  await until(() => queue.count === 0)
  spill.close()
  sender.close()
  assert.equal(connection.sent.total, 3)
  await using kept = await openRecordStream(server)
  assert.deepEqual(
    (await kept.read()).map(({ text }) => text),
    ['{"serial":1}', '{"serial":2}', '{"serial":3}'],
  )
})

function senderOn(connection: RecordConnectionUnderTest, answerTimeoutMs = 60_000) {
  const queue = new RecordQueue()
  const stream = new RecordStream(SUBJECT, 1024 * 1024)
  const sender = new RecordSender({
    connection,
    queue,
    stream,
    logger: connection.logger,
    fit: (message) => message,
    onLost: () => undefined,
    onReleased: () => undefined,
    onForeignAnswer: () => false,
    onReady: () => undefined,
    bytesBeside: () => 0,
    answerTimeoutMs,
  })
  const heads = createMessageHeads(SUBJECT, { inbox: connection.inbox, stream: stream.name })
  const pages = new RecordPages()
  const publish = (serial: number): void => {
    const head = heads(`id-${serial}`, String(serial))
    const message = pages.encode(head, recordText(Buffer.from(JSON.stringify({ serial }))))
    queue.add(new QueuedRecord(message, { router: '/a/', memory: undefined, createdMs: Date.now() }))
    sender.startSoon()
  }
  return { queue, sender, publish }
}

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 20_000
  while (!holds()) {
    assert.ok(performance.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
