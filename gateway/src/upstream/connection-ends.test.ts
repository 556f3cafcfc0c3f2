import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isReading } from '../http/stop-reading.ts'
import { ConnectionEnds } from './connection-ends.ts'
import { ConnectionReading } from './connection-reading.ts'

const MANY = 300

type Opening = {
  readonly ends: ConnectionEnds
  readonly origin: string
  readonly count: number
  readonly isIdle?: boolean
  readonly isWanted?: boolean
}

function follow(socket: Socket, opening: Omit<Opening, 'count'>): void {
  const { ends, origin, isIdle = false, isWanted = !isIdle } = opening
  const connection = { reading: new ConnectionReading(socket), origin, isIdle, isWanted }
  ends.add(connection)
  for (const event of ['end', 'error', 'close']) socket.on(event, () => ends.noteEnd(connection))
}

/** Opens connections that are followed; returns both sides in the same order. */
async function openTracked(
  t: TestContext,
  { count, ...opening }: Opening,
): Promise<{ readonly ours: readonly Socket[]; readonly theirs: readonly Socket[] }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const pairs: { ours: Socket; theirs: Socket }[] = []
  while (pairs.length < count) {
    const accepted = once(server, 'connection')
    const ours = connect(address.port, '127.0.0.1')
    const [theirs]: Socket[] = await accepted
    assert.ok(theirs !== undefined)
    theirs.on('error', () => undefined)
    follow(ours, opening)
    pairs.push({ ours, theirs })
  }
  t.after(() => {
    for (const { ours, theirs } of pairs) for (const socket of [ours, theirs]) socket.destroy()
    server.close()
  })
  return { ours: pairs.map(({ ours }) => ours), theirs: pairs.map(({ theirs }) => theirs) }
}

for (const [name, end] of [
  ['are reset', (socket: Socket) => socket.resetAndDestroy()],
  ['end', (socket: Socket) => socket.end()],
] as const) {
  test(`of hundreds of connections that ${name} at one moment, a turn ends some`, { timeout: 60_000 }, async (t) => {
    const { ours, theirs } = await openTracked(t, { ends: new ConnectionEnds(), origin: 'http://a', count: MANY })
    let ended = 0
    for (const socket of ours) {
      socket.resume()
      socket.on('error', () => undefined)
      for (const event of ['error', 'end']) socket.on(event, () => (ended += 1))
    }
    for (const socket of theirs) end(socket)
    let most = 0
    while (ended < MANY) {
      const before = ended
      await nextTurn()
      most = Math.max(most, ended - before)
    }
    assert.ok(most <= 64, `${most} connections ended in one turn`)
    await Promise.all(ours.map(closed))
  })
}

test('a turn in which an LLM API cuts many connections stops no other LLM API', { timeout: 60_000 }, async (t) => {
  const ends = new ConnectionEnds()
  const crowd = await openTracked(t, { ends, origin: 'http://a', count: MANY })
  const other = await openTracked(t, { ends, origin: 'http://b', count: 1 })
  for (const socket of [...crowd.ours, ...other.ours]) socket.on('error', () => undefined).resume()
  while (![...crowd.ours, ...other.ours].every(isReading)) await nextTurn()
  for (const socket of crowd.theirs) socket.resetAndDestroy()
  let stoppedTurns = 0
  while (!crowd.ours.every(({ closed: isClosed }) => isClosed)) {
    await nextTurn()
    if (crowd.ours.some((socket) => !socket.destroyed && !isReading(socket))) stoppedTurns += 1
    assert.ok(other.ours.every(isReading))
  }
  assert.ok(stoppedTurns > 0)
})

test('beyond some session tickets a turn reads no other connection but idle ones that a call awaits', {
  timeout: 60_000,
}, async (t) => {
  const ends = new ConnectionEnds()
  const crowd = await openTracked(t, { ends, origin: 'http://a', count: 3, isIdle: true })
  const other = await openTracked(t, { ends, origin: 'http://b', count: 3 })
  const idle = await openTracked(t, { ends, origin: 'http://c', count: 3, isIdle: true })
  const awaited = await openTracked(t, { ends, origin: 'http://c', count: 1, isIdle: true, isWanted: true })
  const all = [...crowd.ours, ...other.ours, ...idle.ours, ...awaited.ours]
  for (const socket of all) socket.resume()
  while (!all.every(isReading)) await nextTurn()
  const [first] = crowd.ours
  const [ending] = idle.ours
  assert.ok(first !== undefined && ending !== undefined)
  const flooding = { reading: new ConnectionReading(first), origin: 'http://a', isIdle: true, isWanted: false }
  // An end at the other LLM API in the same turn brings no tickets.
  const ended = { reading: new ConnectionReading(ending), origin: 'http://c', isIdle: true, isWanted: false }
  ends.add(ended)
  ends.noteEnd(ended)
  for (let tickets = 0; tickets < 32; tickets += 1) ends.noteTicket(flooding)
  assert.deepEqual([crowd.ours.some(isReading), [...other.ours, ...idle.ours].every(isReading)], [false, true])
  assert.equal(ends.readIdle('http://c'), undefined)
  for (let tickets = 0; tickets < 32; tickets += 1) ends.noteTicket(flooding)
  assert.deepEqual([...crowd.ours, ...other.ours, ...idle.ours].filter(isReading), [])
  assert.ok(awaited.ours.every(isReading))
  while (!all.every(isReading)) await nextTurn()
})

test('idle connections are read again behind the turn of many session tickets, before its calls', {
  timeout: 60_000,
}, async (t) => {
  const ends = new ConnectionEnds()
  const crowd = await openTracked(t, { ends, origin: 'http://a', count: MANY })
  const idle = await openTracked(t, { ends, origin: 'http://b', count: MANY, isIdle: true })
  for (const socket of [...crowd.ours, ...idle.ours]) socket.resume()
  while (![...crowd.ours, ...idle.ours].every(isReading)) await nextTurn()
  const [first] = crowd.ours
  assert.ok(first !== undefined)
  const reading = new ConnectionReading(first)
  const flooding = { reading, origin: 'http://a', isIdle: false, isWanted: true }
  for (let tickets = 0; tickets < 200; tickets += 1) ends.noteTicket(flooding)
  assert.ok(!idle.ours.some(isReading))
  assert.equal(ends.readIdle('http://c'), undefined)
  const isRead = ends.readIdle('http://b')
  assert.ok(isRead !== undefined)
  await isRead
  assert.ok(idle.ours.every(isReading))
  assert.ok(!crowd.ours.every(isReading))
  assert.equal(ends.readIdle('http://b'), undefined)
})

test('idle connections of an LLM API are stopped where its tickets come behind an end', {
  timeout: 60_000,
}, async (t) => {
  const ends = new ConnectionEnds()
  const { ours } = await openTracked(t, { ends, origin: 'http://a', count: 40, isIdle: true })
  for (const socket of ours) socket.resume()
  while (!ours.every(isReading)) await nextTurn()
  const [socket] = ours
  assert.ok(socket !== undefined)
  const hostile = { reading: new ConnectionReading(socket), origin: 'http://a', isIdle: true, isWanted: false }
  for (let count = 0; count < 40; count += 1) {
    ends.add(hostile)
    ends.noteEnd(hostile)
  }
  assert.equal(ours.every(isReading), true)
  ends.noteTicket(hostile)
  assert.equal(ours.some(isReading), false)
  while (!ours.every(isReading)) await nextTurn()
})

test('connections that stay open are read on', { timeout: 60_000 }, async (t) => {
  const ends = new ConnectionEnds()
  const crowd = await openTracked(t, { ends, origin: 'http://a', count: MANY })
  const other = await openTracked(t, { ends, origin: 'http://b', count: 1 })
  for (const socket of crowd.ours) socket.on('error', () => undefined).resume()
  const [ours] = other.ours
  const [theirs] = other.theirs
  assert.ok(ours !== undefined && theirs !== undefined)
  let text = ''
  ours.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  for (const socket of crowd.theirs) socket.resetAndDestroy()
  theirs.write('before')
  await Promise.all(crowd.ours.map(closed))
  theirs.write(' and after')
  while (text !== 'before and after') await nextTurn()
})

test('a connection that has a full buffer gets no more bytes, and an idle one is read on', {
  timeout: 60_000,
}, async (t) => {
  const ends = new ConnectionEnds()
  const { ours: full, theirs: filling } = await openTracked(t, { ends, origin: 'http://a', count: 1 })
  const { ours: idle } = await openTracked(t, { ends, origin: 'http://b', count: 1, isIdle: true })
  const [paused] = full
  assert.ok(paused !== undefined)
  paused.read(0)
  filling[0]?.write(Buffer.alloc(8 * 1024 * 1024))
  while (paused.readableLength < paused.readableHighWaterMark) await nextTurn()
  const held = paused.readableLength
  for (const socket of idle) socket.resume()
  for (let round = 0; round < 5; round += 1) {
    const crowd = await openTracked(t, { ends, origin: 'http://c', count: 40 })
    for (const socket of crowd.ours) socket.on('error', () => undefined).resume()
    for (const socket of crowd.theirs) socket.resetAndDestroy()
    await Promise.all(crowd.ours.map(closed))
    assert.ok(idle.every(isReading))
  }
  assert.equal(paused.readableLength, held)
})

/** `once` would reject at the reset. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve()
    else socket.on('close', () => resolve())
  })
}
