import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { listenUntilEnd } from '@llm-gateway/test/fake/listen'
import { ServerReply } from '../http/reply.ts'
import { type CallMemory, MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import { bodySource } from '../upstream/body-source-under-test.ts'
import { InboundBody } from '../upstream/inbound-body.ts'
import { WorkQueue } from '../work/work-queue.ts'
import type { AnswerIntake } from './answer-intake.ts'
import { passThrough } from './pass-through.ts'

// Rules: docs/reference/http.md#memory

setFlagsFromString('--expose-gc')
const collectGarbage: unknown = runInNewContext('gc')

const KIB = 1024
/** The bytes that a connection reads at once. */
const READ_BYTES = 64 * KIB

/** A body on its way to a caller that reads nothing. */
class UnreadBody {
  readonly memory: CallMemory = new MemoryAccount(1_000_000_000).open('/llm/', new MemoryShare())
  readonly reply: ServerReply
  readonly body: InboundBody
  /** The pieces that the record's copy got. */
  readonly copied: Buffer[] = []
  isPaused = false
  readonly #leaving: (() => void)[] = []

  constructor(reply: ServerReply, problem: AnswerIntake['problem']) {
    this.reply = reply
    const setPaused = (isPaused: boolean): void => {
      this.isPaused = isPaused
    }
    this.body = new InboundBody(bodySource({ pause: () => setPaused(true), resume: () => setPaused(false) }))
    reply.writeHead(200, [], undefined)
    void passThrough(this.body, reply, {
      intake: { add: (piece) => this.copied.push(piece) > 0, problem },
      memory: this.memory,
      holdsEnd: false,
      hasLength: false,
      work: new WorkQueue(),
      signal: { cancelled: false, onCancel: (listener) => void this.#leaving.push(listener) },
      stallTimeoutMs: 60_000,
    })
  }

  /** Tells that the caller has left, which ends the watch over its reading. */
  leave(): void {
    for (const listener of this.#leaving) listener()
  }

  /** Brings bytes until the caller's connection takes no more. */
  async fill(): Promise<void> {
    for (await nextTurn(); this.reply.unsentBytes === 0; await nextTurn()) this.body.push(Buffer.alloc(16 * KIB))
  }
}

async function unreadBody(t: TestContext, httpVersion: string, problem: AnswerIntake['problem']): Promise<UnreadBody> {
  const server = createServer()
  const caller = connect(await listenUntilEnd(t, server), '127.0.0.1')
  t.after(() => caller.destroy())
  caller.pause()
  caller.write(`GET / HTTP/${httpVersion}\r\nHost: a\r\n\r\n`)
  const [, response] = await once(server, 'request')
  const session = { canonical: 'S', value: 's' }
  const reply = new ServerReply(response, { session, connection: { closes: false }, stallTimeoutMs: 60_000 })
  const unread = new UnreadBody(reply, problem)
  t.after(() => unread.leave())
  return unread
}

function heldOutsideHeap(): number {
  assert.ok(typeof collectGarbage === 'function')
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

for (const httpVersion of ['1.1', '1.0']) {
  test(`unread bytes in buffers of their own take no more memory than they count, HTTP/${httpVersion}`, async (t) => {
    const unread = await unreadBody(t, httpVersion, 'OVERLOADED')
    await unread.fill()
    unread.copied.length = 0
    const before = heldOutsideHeap()
    for (let pieces = 0; pieces < 1_000 && !unread.isPaused; pieces += 1) {
      unread.body.push(Buffer.alloc(READ_BYTES).subarray(0, 1))
      await nextTurn()
    }
    let held = heldOutsideHeap() - before
    // The last buffer may stay for some turns, where a register still refers to it.
    for (let turns = 0; turns < 100 && held > unread.memory.bytes; turns += 1) {
      await nextTurn()
      held = heldOutsideHeap() - before
    }
    assert.ok(held <= unread.memory.bytes, `${held} bytes held, ${unread.memory.bytes} counted`)
    assert.equal(unread.isPaused, true)
    // The copy got a piece of its own size, and needs no second copy.
    assert.deepEqual(
      unread.copied.map(({ buffer }) => buffer.byteLength),
      [1],
    )
  })
}

test('of the chunks of one byte that arrive at once, some wait for the caller, and their objects count', async (t) => {
  const unread = await unreadBody(t, '1.1', undefined)
  await nextTurn()
  const bytes = Buffer.alloc(READ_BYTES)
  let pieces = 0
  for (; pieces < 10_900 && !unread.isPaused; pieces += 1) unread.body.push(bytes.subarray(pieces, pieces + 1))
  assert.ok(pieces < 200, `${pieces} pieces`)
  assert.ok(unread.memory.bytes > READ_BYTES + pieces * 500, `${unread.memory.bytes} bytes`)
  await nextTurn()
  // The caller's connection has taken them.
  assert.deepEqual([unread.isPaused, unread.memory.bytes], [false, 0])
})
