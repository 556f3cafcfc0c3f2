import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { ConnectionReading } from './connection-reading.ts'
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
    reading: new ConnectionReading(new Socket()),
    wasRead: true,
    readOn: () => {
      burn(ms)
      order.push(origin)
    },
  }
}

test('reading is over after 8 ms of a turn and goes on in the next turn', async () => {
  const turns = new ReadTurns()
  assert.equal(turns.isOver, false)
  burn(9)
  assert.equal(turns.isOver, true)
  await nextTurn()
  assert.equal(turns.isOver, false)
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
