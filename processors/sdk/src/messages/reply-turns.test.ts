import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createReplyTurns, type PlannedReply } from './reply-turns.ts'

const MIB = 1024 * 1024
const reply = (flow: string, bytes = MIB, deadline = Number.POSITIVE_INFINITY): PlannedReply => {
  return { flow, bytes, deadline }
}

/** Notes the replies that leave, by turn of the event loop, until all of them have left or are late. */
async function turnsOf(replies: readonly PlannedReply[], flushed = async (): Promise<void> => undefined) {
  const turns = createReplyTurns(flushed)
  const left: string[][] = []
  let waiting = replies.length
  let now: string[] = []
  for (const [index, planned] of replies.entries()) {
    void Promise.resolve(turns.enter(planned)).then((isInTime) => {
      now.push(`${planned.flow}${index}${isInTime ? '' : ' late'}`)
      waiting -= 1
    })
  }
  // The replies that leave at once have left after a microtask.
  await Promise.resolve()
  for (;;) {
    if (now.length > 0) left.push(now)
    now = []
    if (waiting === 0) return left
    await nextTurn()
  }
}

test('replies of 1 MiB leave one in a turn, and flows take turns', async () => {
  const replies = ['a', 'a', 'a', 'a', 'b', 'c'].map((flow) => reply(flow))
  assert.deepEqual(await turnsOf(replies), [['a0'], ['a1'], ['b4'], ['c5'], ['a2'], ['a3']])
})

test('small replies leave together, 256 in a turn', async () => {
  assert.deepEqual(await turnsOf(['a', 'a', 'b'].map((flow) => reply(flow, 100))), [['a0', 'a1', 'b2']])
  const many = await turnsOf(Array.from({ length: 600 }, () => reply('a', 100)))
  assert.deepEqual(
    many.map(({ length }) => length),
    [256, 256, 88],
  )
})

test('a reply whose deadline has passed does not leave and takes no turn', async () => {
  const replies = [reply('a'), reply('a', 32 * MIB, performance.now() - 1), reply('a')]
  assert.deepEqual(await turnsOf(replies), [['a0'], ['a1 late', 'a2']])
})

test('after 16 MiB replies wait until the bus has read them', async () => {
  const read = Promise.withResolvers<void>()
  let asked = 0
  const turns = createReplyTurns(async () => {
    asked += 1
    await read.promise
  })
  let left = 0
  const all = Array.from({ length: 20 }, async () => {
    await turns.enter(reply('a'))
    left += 1
  })
  while (asked === 0) await nextTurn()
  for (let turn = 0; turn < 50; turn += 1) await nextTurn()
  assert.equal(left, 17)
  read.resolve()
  await Promise.all(all)
  assert.equal(asked, 1)
})
