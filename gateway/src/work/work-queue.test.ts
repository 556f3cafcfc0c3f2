import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorkQueue } from './work-queue.ts'

/** Keeps the thread busy. */
function burn(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('slices of many tasks leave time for other work in every turn of the event loop', async () => {
  const queue = new WorkQueue()
  let slices = 0
  let turns = 0
  let working = true
  const count = () => {
    turns += 1
    if (working) setImmediate(count)
  }
  setImmediate(count)
  await Promise.all(
    Array.from({ length: 40 }, async () => {
      const slice = queue.begin()
      for (let i = 0; i < 3; i += 1) {
        await slice.next()
        burn(5)
        assert.equal(slice.isDue, true)
        slices += 1
      }
    }),
  )
  working = false
  assert.equal(slices, 120)
  // Each slice lasts a whole turn, so that no two slices share one.
  assert.ok(turns >= 119, `${turns} turns`)
})

test('short slices share a turn and run in the order of their requests', async () => {
  const queue = new WorkQueue()
  const order: number[] = []
  await Promise.all(
    [1, 2, 3].map(async (task) => {
      await queue.turn()
      order.push(task)
    }),
  )
  assert.deepEqual(order, [1, 2, 3])
})

test('work that a slice adds gets a turn too', async () => {
  const queue = new WorkQueue()
  await queue.turn()
  await queue.turn()
  const late = await Promise.all([queue.turn(), queue.turn()])
  assert.equal(late.length, 2)
})

test('calls that continue after their turn was used up don’t wait for slices', async () => {
  const queue = new WorkQueue()
  const order: string[] = []
  const slices = Array.from({ length: 20 }, async () => {
    await queue.turn()
    burn(5)
    order.push('slice')
  })
  assert.equal(queue.isTurnUsedUp, false, 'the first look of a turn')
  burn(5)
  assert.equal(queue.isTurnUsedUp, true)
  await queue.nextTurn()
  order.push('call')
  await Promise.all(slices)
  assert.ok(order.indexOf('call') <= 2, order.join(' '))
})
