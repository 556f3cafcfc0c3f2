import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AcceptFirst } from './accept-first.ts'
import type { PausableReader } from './read-limiter.ts'
import { trackedServerUnderTest } from './tracked-server-under-test.ts'

const MANY = 60
const LONG_MS = 60_000

function readerUnderTest(): PausableReader {
  let isPaused = false
  return {
    get isPaused() {
      return isPaused
    },
    isProven: false,
    sentSmallPieces: false,
    pause: () => {
      isPaused = true
    },
    resume: () => {
      isPaused = false
    },
  }
}

/** Adds a reader in each of `count` turns; returns the readers. */
async function acceptInTurns(first: AcceptFirst, count: number): Promise<readonly PausableReader[]> {
  const readers: PausableReader[] = []
  for (let turn = 0; turn < count; turn += 1) {
    const reader = readerUnderTest()
    readers.push(reader)
    first.add(reader)
    await nextTurn()
  }
  return readers
}

test('of connections accepted turn after turn the first is read at once, the others after a turn without an accept', async () => {
  const readers = await acceptInTurns(new AcceptFirst(LONG_MS), 20)
  assert.deepEqual(
    readers.map(({ isPaused }) => isPaused),
    readers.map((_, index) => index > 0),
  )
  while (readers.some(({ isPaused }) => isPaused)) await nextTurn()
})

test('connections are read after the longest time, though others are accepted in every turn', async () => {
  const readers = await acceptInTurns(new AcceptFirst(0), 20)
  assert.ok(readers.slice(0, -2).every(({ isPaused }) => !isPaused))
})

test('connections that arrive together are all accepted before more than one of them is read', {
  timeout: 60_000,
}, async (t) => {
  const { server, open } = await trackedServerUnderTest(t, new AcceptFirst(LONG_MS))
  let accepted = 0
  const acceptedAtRequest: number[] = []
  server.on('connection', () => {
    accepted += 1
  })
  server.on('request', (_, response) => {
    acceptedAtRequest.push(accepted)
    response.end()
  })
  for (let count = 0; count < MANY; count += 1) open().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  while (acceptedAtRequest.length < MANY) await nextTurn()
  assert.ok(
    acceptedAtRequest.slice(1).every((count) => count === MANY),
    acceptedAtRequest.join(' '),
  )
})
