import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallRoom } from './call-room.ts'
import { QueueCapacity } from './queue-capacity.ts'

// Rules: docs/reference/kept-records.md#durability

const WAIT_MS = 1_000

/** The answers about the room in a place, one a look: undefined for room, else the wait in ms and its end. */
type Looks = ({ readonly ms: number; readonly hasRoom: boolean } | undefined)[]

/** Waits for a call's room; returns the outcome, the times given to the waits, and the number of waits that are counted. */
async function waitFor(
  queue: Looks,
  journal: Looks,
): Promise<{ readonly hasRoom: boolean | undefined; readonly given: string[]; readonly counted: number }> {
  let [nowMs, counted] = [0, 0]
  const given: string[] = []
  const take = async (look: Looks[number], place: string, timeoutMs: number): Promise<boolean> => {
    given.push(`${place} ${timeoutMs}`)
    await undefined
    nowMs += look?.ms ?? 0
    return look?.hasRoom === true
  }
  const room = new CallRoom({
    capacity: new QueueCapacity(1_000, () => undefined),
    room: {
      isFree: () => queue[0] === undefined,
      waitForCall: (_request, _bodyBytes, timeoutMs = 0) => take(queue.shift(), 'queue', timeoutMs),
    },
    journal: () => ({
      waitForRoom: (_router, _bodyBytes, timeoutMs) => {
        const look = journal.shift()
        return look && take(look, 'journal', timeoutMs)
      },
    }),
    refuses: true,
    canLeave: () => true,
    waitMs: WAIT_MS,
    onWait: () => {
      counted += 1
    },
    nowMs: () => nowMs,
  })
  const hasRoom = await room.wait('/a/', 0)
  return { hasRoom, given, counted }
}

test('a call with room waits for nothing', async () => {
  assert.deepEqual(await waitFor([], []), { hasRoom: undefined, given: [], counted: 0 })
})

test('a call that waits for the journal and the queue has one time for both, and counts once', async () => {
  assert.deepEqual(await waitFor([{ ms: 400, hasRoom: false }], [{ ms: 600, hasRoom: true }]), {
    hasRoom: false,
    given: ['journal 1000', 'queue 400'],
    counted: 1,
  })
})

test('a call whose room in the journal was taken while it waited for the queue waits for the journal with its rest', async () => {
  const taken = { ms: 50, hasRoom: true }
  assert.deepEqual(await waitFor([{ ms: 900, hasRoom: true }], [undefined, taken]), {
    hasRoom: true,
    given: ['queue 1000', 'journal 100'],
    counted: 1,
  })
})
