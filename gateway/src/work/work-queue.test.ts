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
      const slice = queue.begin('/a/')
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
      await queue.turn('/a/')
      order.push(task)
    }),
  )
  assert.deepEqual(order, [1, 2, 3])
})

test('a router with many slices makes another router’s slice wait for few of them', async () => {
  const queue = new WorkQueue()
  const order: string[] = []
  const many = Array.from({ length: 20 }, async () => {
    const slice = queue.begin('/a/')
    for (let i = 0; i < 3; i += 1) {
      await slice.next()
      burn(5)
      order.push('a')
    }
  })
  const late = async (): Promise<void> => {
    await queue.turn('/b/')
    order.push('b')
  }
  for (let i = 0; i < 3; i += 1) await late()
  await Promise.all(many)
  assert.match(order.join(''), /^a{1,2}ba{1,2}ba{1,2}ba{50}/)
})

test('work that a slice adds gets a turn too', async () => {
  const queue = new WorkQueue()
  await queue.turn('/a/')
  await queue.turn('/a/')
  const late = await Promise.all([queue.turn('/a/'), queue.turn('/a/')])
  assert.equal(late.length, 2)
})

test('calls that continue after their turn was used up don’t wait for slices', async () => {
  const queue = new WorkQueue()
  const order: string[] = []
  const slices = Array.from({ length: 20 }, async () => {
    await queue.turn('/a/')
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

test('a router with many paused bodies makes another router’s body wait for few of them', async () => {
  const queue = new WorkQueue()
  const order: string[] = []
  const resumed = (owner: string) => new Promise<void>((resolve) => queue.resume(owner, resolve))
  const many = Array.from({ length: 20 }, async () => {
    await resumed('/a/')
    burn(5)
    order.push('a')
  })
  await resumed('/b/')
  order.push('b')
  await Promise.all(many)
  assert.ok(order.indexOf('b') <= 2, order.join(''))
})
