import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Outbox } from './outbox.ts'

const LIMITS = { pingBytes: 1_000, sentBytes: 10_000, waitingBytes: 100_000 }

/** An outbox on a bus that takes sent messages when `take` is called. */
function outboxUnderTest(limits = LIMITS, sendMs = 0) {
  let nowMs = 0
  const flushes: ((taken: boolean) => void)[] = []
  const sent: string[] = []
  const flush = (): Promise<boolean> => new Promise((resolve) => flushes.push(resolve))
  const outbox = new Outbox(limits, flush, () => nowMs)
  const send = (token: string): void => {
    sent.push(token)
    nowMs += sendMs
  }
  return {
    outbox,
    sent,
    add: (token: string, bytes: number) => outbox.add(token, { bytes, send: () => send(token) }),
    take: async (taken = true) => {
      flushes.shift()?.(taken)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

test('messages are sent at once until the bus is behind; then they wait and are sent in order', async () => {
  const { add, take, sent } = outboxUnderTest()
  for (const [token, bytes] of [
    ['a', 9_999],
    ['b', 9_999],
    ['c', 9_999],
    ['d', 10],
    ['e', 10],
  ] as const)
    assert.ok(add(token, bytes))
  assert.deepEqual(sent, ['a', 'b'])
  await take() // acknowledges the message sent before the flush: a
  assert.deepEqual(sent, ['a', 'b', 'c'])
  await take()
  assert.deepEqual(sent, ['a', 'b', 'c', 'd', 'e'])
  await take()
  assert.ok(add('f', 1))
  assert.equal(sent.at(-1), 'f')
})

for (const [name, most, sendMs] of [
  ['512', 512, 0],
  ['4 ms of them', 4, 1],
] as const) {
  test(`waiting messages are sent in order, also those that come meanwhile, ${name} in each turn at most`, async () => {
    const { add, take, sent } = outboxUnderTest({ ...LIMITS, waitingBytes: 10_000_000 }, sendMs)
    const tokens = Array.from({ length: 5 * most }, (_, index) => `m${index}`)
    assert.ok(add('large', 10_000))
    for (const token of tokens) assert.ok(add(token, 1))
    const before = sent.length
    await take()
    assert.ok(add('late', 1))
    const turns = [sent.length - before]
    for (let last = sent.length; !sent.includes('late'); last = sent.length) {
      await new Promise((resolve) => setImmediate(resolve))
      turns.push(sent.length - last)
    }
    // The first wait of this test may see two turns.
    assert.ok(
      turns.every((count, index) => count <= (index === 0 ? 2 : 1) * most),
      turns.join(),
    )
    assert.ok(turns.includes(most), turns.join())
    assert.deepEqual(sent, ['large', ...tokens, 'late'])
  })
}

test('a message that is dropped while it waits is never sent and frees its room', async () => {
  const { outbox, add, take, sent } = outboxUnderTest()
  assert.ok(add('a', 10_000))
  assert.ok(add('b', 98_000))
  assert.equal(add('c', 98_000), false)
  outbox.drop('b')
  assert.ok(add('d', 98_000))
  await take()
  assert.deepEqual(sent, ['a', 'd'])
})

test('the number of waiting messages is bounded', () => {
  const { add } = outboxUnderTest()
  assert.ok(add('a', 10_000))
  let waiting = 0
  while (add(`b${waiting}`, 0)) waiting++
  assert.ok(waiting > 10 && waiting < 100, String(waiting))
})

test('a new connection starts without sent or waiting messages', async () => {
  const { outbox, add, take, sent } = outboxUnderTest()
  add('a', 10_000)
  add('b', 1)
  outbox.clear()
  await take(false)
  assert.ok(add('c', 10_000))
  add('d', 1)
  await take()
  assert.deepEqual(sent, ['a', 'c', 'd'])
})
