import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { ConnectionReading, HOLD } from './connection-reading.ts'
import { PIECE_BYTES } from './parse-times.ts'
import { type AnswerConnection, ReadTurns } from './read-turns.ts'

/** Keeps the thread busy. */
function burn(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function connection(origin: string, ms: number, order: string[]): AnswerConnection {
  return {
    origin,
    isIdle: false,
    pieceBytes: PIECE_BYTES.most,
    reading: new ConnectionReading(new Socket()),
    wasRead: true,
    readOn: () => {
      burn(ms)
      order.push(origin)
    },
  }
}

/** A connection whose handle is read. */
function reading(origin: string): AnswerConnection {
  const socket = new Socket()
  Object.assign(socket, { _handle: { reading: true, readStart: () => 0, readStop: () => 0, close: () => undefined } })
  return {
    origin,
    isIdle: false,
    pieceBytes: PIECE_BYTES.most,
    reading: new ConnectionReading(socket),
    wasRead: false,
    readOn: () => undefined,
  }
}

test('after 8 ms of a turn an LLM API whose answers took 2 ms of it waits, and no other', async () => {
  const turns = new ReadTurns()
  const [hostile, neighbour] = ['hostile', 'neighbour'].map((origin) => connection(origin, 0, []))
  assert.ok(hostile !== undefined && neighbour !== undefined)
  assert.equal(turns.mayRead(hostile), true)
  turns.noteRead(hostile, 1)
  burn(9)
  assert.equal(turns.mayRead(hostile), false)
  assert.equal(turns.mayRead(neighbour), true)
  turns.noteRead(neighbour, 1)
  burn(9)
  assert.equal(turns.mayRead(connection('third', 0, [])), false)
  await nextTurn()
  assert.equal(turns.mayRead(hostile), true)
})

test('bytes that waited for their consumer count as the time of their LLM API', async () => {
  const turns = new ReadTurns()
  const [hostile, neighbour] = ['hostile', 'neighbour'].map((origin) => connection(origin, 0, []))
  assert.ok(hostile !== undefined && neighbour !== undefined)
  assert.equal(turns.mayRead(neighbour), true)
  burn(9)
  turns.noteConsumed(hostile, 64 * 1024, 9)
  assert.equal(turns.mayRead(hostile), false)
  assert.equal(turns.mayRead(neighbour), true)
  assert.equal(hostile.pieceBytes, 16 * 1024)
  await nextTurn()
  assert.equal(turns.mayRead(hostile), true)
})

test('connections of an LLM API that has its share wait for the next turn, and those of others are read on', async () => {
  const turns = new ReadTurns()
  const crowd = Array.from({ length: 3 }, () => reading('hostile'))
  const other = reading('neighbour')
  for (const each of [...crowd, other]) turns.add(each)
  const [first] = crowd
  assert.ok(first !== undefined)
  assert.equal(turns.mayRead(first), true)
  turns.noteRead(first, 1)
  burn(9)
  assert.equal(turns.mayRead(first), false)
  turns.wait(first)
  const held = () => [...crowd, other].map((each) => each.reading.isHeldFor(HOLD.turn))
  assert.deepEqual(held(), [true, true, true, false])
  await nextTurn()
  assert.deepEqual(held(), [false, false, false, false])
})

test('connections that wait share a few milliseconds of each turn, alternately by LLM API', async () => {
  const turns = new ReadTurns()
  const order: string[] = []
  for (let count = 0; count < 40; count += 1) turns.wait(connection('hostile', 5, order))
  turns.wait(connection('neighbour', 0, order))
  let inOneTurn = 0
  while (order.length < 41) {
    const before = order.length
    await nextTurn()
    inOneTurn = Math.max(inOneTurn, order.length - before)
  }
  assert.equal(order.indexOf('neighbour'), 1)
  assert.ok(inOneTurn <= 3, `${inOneTurn} in one turn`)
})

test('the many connections of an LLM API go on beside another whose bytes are endless', async () => {
  const turns = new ReadTurns()
  let left = 300
  const many: AnswerConnection[] = Array.from({ length: left }, () => ({
    ...connection('neighbour', 0, []),
    readOn: () => {
      left -= 1
    },
  }))
  const endless: AnswerConnection = {
    ...connection('hostile', 0, []),
    readOn: () => {
      while (turns.mayRead(endless)) {
        turns.noteRead(endless, 1)
        burn(3)
      }
      if (left > 0) turns.wait(endless)
    },
  }
  for (const each of [endless, ...many]) turns.wait(each)
  let count = 0
  for (; left > 0; count += 1) await nextTurn()
  assert.ok(count < 100, `${count} turns`)
})

test('of hundreds of LLM APIs with endless bytes none is left out, whatever the order of the system', async () => {
  const turns = new ReadTurns()
  const all = Array.from({ length: 200 }, (_, at) => ({ ...reading(`${at}`), wasRead: false, count: 0 }))
  for (const each of all) {
    turns.add(each)
    each.readOn = () => {
      each.wasRead = false
    }
  }
  for (let turn = 0; turn < 150 && all.some(({ count }) => count === 0); turn += 1) {
    for (const each of all) {
      if (!each.reading.isActive) continue
      if (turns.mayRead(each)) {
        turns.noteRead(each, 1)
        each.wasRead = true
        each.count += 1
        burn(1)
      } else turns.wait(each)
    }
    await nextTurn()
  }
  assert.deepEqual(
    all.filter(({ count }) => count === 0).map(({ origin }) => origin),
    [],
  )
  for (const each of all) turns.remove(each)
})
