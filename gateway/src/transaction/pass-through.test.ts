import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reply } from '../http/reply.ts'
import { type CallMemory, MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import { bodySource } from '../upstream/body-source-under-test.ts'
import { InboundBody } from '../upstream/inbound-body.ts'
import { WorkQueue } from '../work/work-queue.ts'
import type { AnswerIntake } from './answer-intake.ts'
import { type PassOutcome, passThrough } from './pass-through.ts'

const KIB = 1024
const PIECE = Buffer.alloc(60 * KIB)
/** The memory of a waiting piece beside its bytes. */
const OBJECTS = 768

type Passing = {
  readonly body: InboundBody
  readonly calls: string[]
  /** The pieces that were written, and the watches over callers that take nothing. */
  readonly written: readonly ('piece' | 'watch')[]
  /** The caller takes all bytes. */
  readonly take: () => void
  readonly outcome: Promise<PassOutcome>
}

type Beginning = {
  /** The pieces that arrive before the body is passed. */
  readonly early?: readonly Buffer[]
  /** True where the caller has left before. */
  readonly hasLeft?: boolean
  /** The queue of a gateway whose turn has no time left for reading. */
  readonly spent?: WorkQueue
}

/** Passes a body to a caller that takes bytes only when told. */
function passing(memory: CallMemory, problem: AnswerIntake['problem'], beginning: Beginning = {}): Passing {
  const { early = [], hasLeft = false, spent } = beginning
  const calls: string[] = []
  const written: ('piece' | 'watch')[] = []
  let unsent = 0
  let drained = (): void => undefined
  let taken: (() => void) | undefined
  const body = new InboundBody(
    bodySource({
      pause: () => void calls.push('pause'),
      resume: () => void calls.push('resume'),
      abort: () => void calls.push('abort'),
    }),
  )
  const reply: Reply = {
    session: { canonical: 'S', value: 's' },
    progress: 'begun',
    send: () => assert.fail('the head is sent already'),
    writeHead: () => assert.fail('the head is sent already'),
    flushHead: () => undefined,
    write: (chunk) => {
      written.push('piece')
      unsent += chunk.length
      return unsent < 64 * KIB
    },
    writeAlone: (chunk, listener) => {
      unsent += chunk.length
      taken = listener
    },
    onDrain: (listener) => {
      drained = listener
    },
    watchStall: () => void written.push('watch'),
    end: () => undefined,
    get unsentBytes() {
      return unsent
    },
    isBehind: false,
    onSent: () => undefined,
    destroy: () => void calls.push('destroy'),
  }
  for (const piece of early) body.push(piece)
  const outcome = passThrough(body, reply, {
    intake: { add: () => spent === undefined, problem },
    memory,
    holdsEnd: false,
    hasLength: false,
    work: spent ?? new WorkQueue(),
    signal: { cancelled: hasLeft, onCancel: (listener) => hasLeft && listener() },
    stallTimeoutMs: 1_000,
  })
  calls.length = 0
  const take = (): void => {
    unsent = 0
    drained()
    taken?.()
  }
  return { body, calls, written, take, outcome }
}

test('bytes that a caller leaves unread count once the copy of the body is cut', () => {
  const memory = new MemoryAccount(1_024 * KIB).open('/a/', new MemoryShare())
  const { body, calls, take } = passing(memory, 'OVERLOADED')
  body.push(PIECE)
  assert.deepEqual([calls, memory.bytes], [[], 0])
  body.push(PIECE)
  assert.deepEqual([calls, memory.bytes], [['pause'], 2 * (PIECE.length + OBJECTS)])
  take()
  assert.deepEqual([calls, memory.bytes], [['pause', 'resume'], 0])
})

test('unread bytes that the copy of the body holds count once', () => {
  const memory = new MemoryAccount(1_024 * KIB).open('/a/', new MemoryShare())
  const { body, calls } = passing(memory, undefined)
  for (const piece of [PIECE, PIECE]) body.push(piece)
  assert.deepEqual([calls, memory.bytes], [['pause'], 2 * OBJECTS])
})

test('without room each piece waits until the caller has taken the last one, and other routers keep their room', () => {
  const account = new MemoryAccount(1_024 * KIB)
  account.open('/a/', new MemoryShare()).add(890 * KIB)
  const memory = account.open('/a/', new MemoryShare())
  const { body, calls, take } = passing(memory, 'OVERLOADED')
  body.push(PIECE)
  assert.deepEqual([calls, memory.bytes], [['pause'], 0])
  take()
  body.push(PIECE)
  assert.deepEqual(calls, ['pause', 'resume', 'pause'])
  assert.equal(account.open('/b/', new MemoryShare()).take(100 * KIB), true)
})

test('without room beside the account either, the answer breaks off', async () => {
  const account = new MemoryAccount(1_024 * KIB)
  account.open('/a/', new MemoryShare()).add(890 * KIB)
  const memory = account.open('/a/', new MemoryShare())
  const other = account.open('/b/', new MemoryShare())
  other.takeSpare(64 * KIB * KIB - 100 * KIB)
  const { body, calls, take, outcome } = passing(memory, 'OVERLOADED')
  for (let pieces = 0; pieces < 3; pieces += 1) {
    body.push(PIECE)
    take()
  }
  assert.deepEqual(calls, ['pause', 'resume', 'pause', 'resume', 'pause', 'resume'])
  other.takeSpare(50 * KIB)
  calls.length = 0
  body.push(PIECE)
  assert.deepEqual(calls, ['destroy', 'abort', 'pause'])
  assert.deepEqual(await outcome, { kind: 'broken', code: 'OVERLOADED' })
})

test('of an answer whose caller left before, no piece is written and no watch stays', () => {
  const memory = new MemoryAccount(1_024 * KIB).open('/a/', new MemoryShare())
  const early = [PIECE, PIECE]
  assert.deepEqual(passing(memory, undefined, { early }).written, ['piece', 'piece', 'watch'])
  assert.deepEqual(passing(memory, undefined, { early, hasLeft: true }).written, [])
})

test('a body that paused because the turn was spent goes on before the slices of any router', async () => {
  const work = new WorkQueue()
  const memory = new MemoryAccount(1_024 * KIB).open('/a/', new MemoryShare())
  let slices = 0
  const all = ['/a/', '/b/'].flatMap((router) =>
    Array.from({ length: 10 }, async () => {
      await work.turn(router)
      slices += 1
      for (const end = performance.now() + 5; performance.now() < end; );
    }),
  )
  const { body, calls } = passing(memory, undefined, { spent: work })
  body.push(PIECE)
  assert.deepEqual(calls, ['pause'])
  while (calls.length < 2) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(calls, ['pause', 'resume'])
  assert.ok(slices <= 2, `${slices} slices`)
  await Promise.all(all)
})
