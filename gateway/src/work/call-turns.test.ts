import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CallTurns, STEPS_OF_TURN } from './call-turns.ts'

/** Takes a step and notes its router once it goes on. */
function take(turns: CallTurns, router: string, order: string[]): void {
  const turn = turns.take(router)
  if (turn === undefined) order.push(router)
  else void turn.then(() => order.push(router))
}

/** Keeps the thread busy and notes the step. */
function burn(ms: number, order: string[]): void {
  const end = performance.now() + ms
  while (performance.now() < end);
  order.push('long')
}

test('a turn has a bounded number of steps, the others go on in the next turns', async () => {
  const turns = new CallTurns()
  const order: string[] = []
  for (let step = 0; step < 2.5 * STEPS_OF_TURN; step += 1) take(turns, '/a/', order)
  const counts = [order.length]
  while (order.length < 2.5 * STEPS_OF_TURN) {
    await nextTurn()
    counts.push(order.length)
  }
  assert.equal(counts[0], STEPS_OF_TURN)
  // On a busy machine the time of a turn may be over before its steps are.
  const most = Math.max(...counts.slice(1).map((count, turn) => count - (counts[turn] ?? 0)))
  assert.ok(most <= STEPS_OF_TURN, `${most} steps in one turn`)
})

test('the steps of a router wait for one step of each other router, not for all', async () => {
  const turns = new CallTurns()
  const order: string[] = []
  for (let step = 0; step < 1_000; step += 1) take(turns, '/many/', order)
  take(turns, '/few/', order)
  take(turns, '/few/', order)
  while (order.length < 1_002) await nextTurn()
  assert.deepEqual(
    order.flatMap((router, index) => (router === '/few/' ? [index - STEPS_OF_TURN] : [])),
    [1, 3],
  )
})

test('the steps of a turn share a few milliseconds, however long each of them takes', async () => {
  const turns = new CallTurns()
  const order: string[] = []
  for (let step = 0; step < STEPS_OF_TURN; step += 1) take(turns, '/first/', order)
  for (let step = 0; step < 40; step += 1) void turns.take('/long/')?.then(() => burn(5, order))
  let inOneTurn = 0
  while (order.length < STEPS_OF_TURN + 40) {
    const before = order.length
    await nextTurn()
    inOneTurn = Math.max(inOneTurn, order.length - before)
  }
  assert.ok(inOneTurn <= 2, `${inOneTurn} in one turn`)
})

test('steps that wait for nothing share the same milliseconds', async () => {
  const turns = new CallTurns()
  const order: string[] = []
  const counts: number[] = []
  for (let turn = 0; turn < 4; turn += 1) {
    for (let step = 0; step < 10; step += 1) {
      const wait = turns.take('/long/')
      if (wait === undefined) burn(5, order)
      else void wait.then(() => burn(5, order))
    }
    counts.push(order.length)
    while (order.length < 10 * (turn + 1)) await nextTurn()
    await nextTurn()
  }
  assert.ok(
    counts.every((count, turn) => count - 10 * turn <= 3),
    `${counts} steps`,
  )
})

test('a turn has fewer steps of calls that count as many', async () => {
  const turns = new CallTurns()
  const order: string[] = []
  const takeMany = (): void => void turns.take('/a/', STEPS_OF_TURN / 2)?.then(() => order.push('/a/'))
  assert.equal(turns.take('/a/', STEPS_OF_TURN / 2), undefined)
  assert.equal(turns.take('/a/', 10 * STEPS_OF_TURN), undefined)
  for (let step = 0; step < 10; step += 1) takeMany()
  let inOneTurn = 0
  while (order.length < 10) {
    const before = order.length
    await nextTurn()
    inOneTurn = Math.max(inOneTurn, order.length - before)
  }
  assert.equal(inOneTurn, 2)
})

test('more routers than a turn has steps all have their turn', async () => {
  const turns = new CallTurns()
  const order: string[] = []
  for (let step = 0; step < STEPS_OF_TURN; step += 1) take(turns, '/first/', order)
  const routers = Array.from({ length: 3 * STEPS_OF_TURN }, (_, index) => `/${index}/`)
  for (const router of [...routers, ...routers]) take(turns, router, order)
  while (order.length < 7 * STEPS_OF_TURN) await nextTurn()
  assert.deepEqual(order.slice(STEPS_OF_TURN), [...routers, ...routers])
})

test('after a turn without waiting steps the next steps wait for nothing', async () => {
  const turns = new CallTurns()
  const order: string[] = []
  for (let step = 0; step <= STEPS_OF_TURN; step += 1) take(turns, '/a/', order)
  while (order.length <= STEPS_OF_TURN) await nextTurn()
  await nextTurn()
  assert.equal(turns.take('/a/'), undefined)
})

test('while held, a turn has few steps', async () => {
  const turns = new CallTurns()
  const order: string[] = []
  turns.hold()
  for (let step = 0; step < STEPS_OF_TURN; step += 1) take(turns, '/a/', order)
  const few = order.length
  assert.ok(few > 0 && few <= STEPS_OF_TURN / 8, `${few} steps`)
  await nextTurn()
  // A turn has fewer steps where other programs took its time.
  assert.ok(order.length > few && order.length <= 2 * few, `${order.length} steps`)
  turns.release()
  let after = 0
  for (; order.length < STEPS_OF_TURN; after += 1) await nextTurn()
  assert.ok(after < 4, `${after} turns`)
})
