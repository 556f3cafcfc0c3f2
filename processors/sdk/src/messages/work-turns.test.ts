import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorkTurns } from './work-turns.ts'

/** Keeps the thread busy for longer than a turn's share. */
function burn(): void {
  const end = performance.now() + 5
  while (performance.now() < end);
}

/** Counts turns of the event loop until it is disposed. */
function countTurns() {
  let count = 0
  let running = setImmediate(function next() {
    count += 1
    running = setImmediate(next)
  })
  return {
    get count() {
      return count
    },
    [Symbol.dispose]: () => clearImmediate(running),
  }
}

test('slices that take their share have a turn of the event loop each', async () => {
  const turns = new WorkTurns()
  using seen = countTurns()
  const work = async (): Promise<void> => {
    for (let slice = 0; slice < 3; slice += 1) {
      await turns.next('')
      burn()
      assert.equal(turns.isDue, true)
    }
  }
  await Promise.all(Array.from({ length: 40 }, work))
  assert.ok(seen.count >= 119, `${seen.count} turns`)
})

test('short slices share a turn, and flows take turns regardless of their number of slices', async () => {
  const turns = new WorkTurns()
  const order: string[] = []
  const work = async (flow: string, name: string): Promise<void> => {
    await turns.next(flow)
    order.push(name)
  }
  const all = ['a', 'b', 'c'].map((name) => work('/flood/', name))
  await Promise.all([...all, work('/other/', 'other'), work('/flood/', 'd')])
  assert.deepEqual(order, ['a', 'other', 'b', 'c', 'd'])
})

test('a message begins at once until the turn has used up its time, and then behind the work that waits', async () => {
  const turns = new WorkTurns()
  assert.equal(turns.isFree, true)
  burn()
  assert.equal(turns.isFree, false)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(turns.isFree, true)
  const waiting = turns.next('')
  assert.equal(turns.isFree, false)
  await waiting
})

test('a slice that asks again in its turn gets a later turn', async () => {
  const turns = new WorkTurns()
  for (let slice = 0; slice < 100; slice += 1) await turns.next('')
  burn()
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(turns.isDue, false)
})
