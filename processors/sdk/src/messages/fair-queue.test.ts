import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue, type FairQueueLimits, type QueueItem } from './fair-queue.ts'

type Named = QueueItem & { readonly name: string }

/** Makes a queue with its dropped items, and a function that returns its items in the order of leaving. */
function queueUnderTest(limits: FairQueueLimits = { waiting: 100, waitingBytes: 10_000 }) {
  const queue = new FairQueue<Named>(limits)
  const dropped: string[] = []
  const add = (name: string, { bytes = 1, flow = '', deadline = Number.POSITIVE_INFINITY, now = 0 } = {}): void =>
    queue.add({ name, bytes, flow, deadline, drop: (reason) => dropped.push(`${name} ${reason}`) }, now)
  const left = (now = 0): readonly string[] => {
    const names: string[] = []
    for (let item = queue.take(now); item !== undefined; item = queue.take(now)) names.push(item.name)
    return names
  }
  return { queue, dropped, add, left }
}

test('within a flow the shortest message goes first, and among messages of a similar size the oldest', () => {
  const { add, left } = queueUnderTest()
  for (const [name, bytes] of [
    ['long', 4_000],
    ['first', 500],
    ['second', 400],
    ['short', 10],
  ] as const)
    add(name, { bytes })
  assert.deepEqual(left(), ['short', 'first', 'second', 'long'])
})

test('flows take turns regardless of their number of waiting messages', () => {
  const { add, left } = queueUnderTest()
  for (let n = 0; n < 4; n++) add(`flood ${n}`, { flow: '/flood/' })
  add('other', { flow: '/other/', bytes: 1_000 })
  assert.deepEqual(left(), ['flood 0', 'other', 'flood 1', 'flood 2', 'flood 3'])
})

test('a full queue drops the newest message of the flow that holds most, by count and by bytes', () => {
  const places = queueUnderTest({ waiting: 4, waitingBytes: 1_000 })
  for (let n = 0; n < 6; n++) places.add(`flood ${n}`, { flow: '/flood/' })
  places.add('other', { flow: '/other/' })
  assert.deepEqual(places.dropped, ['flood 4 dropped', 'flood 5 dropped', 'flood 3 dropped'])
  assert.deepEqual(places.left(), ['flood 0', 'other', 'flood 1', 'flood 2'])
  const bytes = queueUnderTest({ waiting: 100, waitingBytes: 1_000 })
  for (let n = 0; n < 3; n++) bytes.add(`flood ${n}`, { flow: '/flood/', bytes: 400 })
  bytes.add('other', { flow: '/other/', bytes: 300 })
  assert.deepEqual(bytes.dropped, ['flood 2 dropped', 'flood 1 dropped'])
  assert.deepEqual([bytes.queue.count, bytes.queue.bytes], [2, 700])
})

test('a message larger than the queue waits when no other waits', () => {
  const { add, dropped, left } = queueUnderTest({ waiting: 9, waitingBytes: 10 })
  add('huge', { bytes: 100 })
  add('small', { flow: '/other/' })
  assert.deepEqual([dropped, left()], [['huge dropped'], ['small']])
})

test('a large single message displaces the flood of another flow, which displaces no single message', () => {
  const limits = { waiting: 100, waitingBytes: 1_000, firstBytes: 1_000 }
  const floodFirst = queueUnderTest(limits)
  for (let n = 0; n < 13; n++) floodFirst.add(`flood ${n}`, { flow: '/flood/', bytes: 100 })
  floodFirst.add('large', { flow: '/other/', bytes: 940 })
  // The oldest message of the flood has a place of its own beside the 1,000 bytes.
  assert.deepEqual(floodFirst.dropped, ['flood 11 dropped', 'flood 12 dropped', 'flood 10 dropped'])
  assert.equal(floodFirst.queue.bytes, 1_940)
  const largeFirst = queueUnderTest(limits)
  largeFirst.add('large', { flow: '/other/', bytes: 940 })
  for (let n = 0; n < 12; n++) largeFirst.add(`flood ${n}`, { flow: '/flood/', bytes: 100 })
  assert.deepEqual(largeFirst.dropped, ['flood 10 dropped', 'flood 11 dropped'])
})

test('large messages of one flow displace neither a few messages nor a large one of another flow', () => {
  const { add, dropped } = queueUnderTest({ waiting: 100, waitingBytes: 1_000, firstBytes: 1_000 })
  for (let n = 0; n < 3; n++) add(`calm ${n}`, { flow: '/calm/', bytes: 30 })
  for (let n = 0; n < 3; n++) add(`flood ${n}`, { flow: '/flood/', bytes: 900 })
  add('other', { flow: '/other/', bytes: 900 })
  assert.deepEqual(dropped, ['flood 2 dropped', 'flood 1 dropped'])
})

test('a message that finds no room in the end displaces none', () => {
  const { add, dropped, left } = queueUnderTest({ waiting: 100, waitingBytes: 1_000, firstBytes: 1_000 })
  for (const flow of ['/a/', '/b/']) add(`large ${flow}`, { flow, bytes: 800 })
  for (let n = 0; n < 3; n++) add(`calm ${n}`, { flow: '/calm/', bytes: 100 })
  add('large /c/', { flow: '/c/', bytes: 800 })
  assert.deepEqual(dropped, ['large /c/ dropped'])
  assert.deepEqual(left(), ['large /a/', 'large /b/', 'calm 0', 'calm 1', 'calm 2'])
})

test('expired messages are dropped and take no room', () => {
  const { queue, add, dropped, left } = queueUnderTest({ waiting: 2, waitingBytes: 1_000 })
  add('late', { deadline: 10 })
  add('later', { deadline: 20, flow: '/other/' })
  add('good', { now: 10 })
  assert.deepEqual(dropped, ['late expired'])
  assert.deepEqual(left(20), ['good'])
  assert.deepEqual([dropped, queue.count, queue.bytes], [['late expired', 'later expired'], 0, 0])
})

test('a message to a full queue costs a look at a few of a thousand flows', () => {
  const queue = new FairQueue<QueueItem>({ waiting: 1_000, waitingBytes: 1_000_000 })
  let looks = 0
  const item = (flow: string, bytes: number): QueueItem => ({
    flow,
    get bytes() {
      looks += 1
      return bytes
    },
    deadline: 1_000,
    drop: () => undefined,
  })
  for (let n = 0; n < 1_000; n += 1) queue.add(item(`/${n}/`, 10), 0)
  looks = 0
  queue.add(item('/0/', 10), 1)
  queue.add(item('/one more/', 5), 2)
  assert.equal(queue.count, 1_000)
  assert.ok(looks < 200, `${looks} looks`)
})

test('a flow whose messages were all displaced leaves nothing behind, and the displaced flow is always the fullest', () => {
  const dropped: string[] = []
  const queue = new FairQueue<Named>({ waiting: 8, waitingBytes: 1_000 })
  const add = (name: string, bytes: number): void =>
    queue.add({ name, bytes, flow: name.slice(0, 1), deadline: 1, drop: () => dropped.push(name) }, 0)
  for (const [name, bytes] of [
    ['a1', 600],
    ['b1', 100],
    ['b2', 100],
    ['c1', 50],
  ] as const)
    add(name, bytes)
  add('d1', 300)
  add('e1', 400)
  assert.deepEqual(dropped, ['b2', 'a1'])
  assert.deepEqual([queue.count, queue.bytes], [4, 850])
})
