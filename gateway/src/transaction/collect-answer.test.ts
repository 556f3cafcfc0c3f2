import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJsonEngine } from '../json/json-scan.ts'
import { type CallMemory, MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import { bodySource } from '../upstream/body-source-under-test.ts'
import { InboundBody } from '../upstream/inbound-body.ts'
import { TurnBudget } from '../work/turn-budget.ts'
import { WorkQueue } from '../work/work-queue.ts'
import type { AnswerIntake } from './answer-intake.ts'
import { AnswerReader } from './answer-reader.ts'
import { collectAnswer } from './collect-answer.ts'

type Collecting = {
  readonly body: InboundBody
  readonly collected: ReturnType<typeof collectAnswer>
  readonly bytes: () => string
  readonly calls: string[]
}

type Beginning = {
  readonly limitBytes?: number
  readonly work?: Pick<WorkQueue, 'resume'>
  /** Brings the bytes that arrive before the answer is collected. */
  readonly begin?: (body: InboundBody) => void
}

function collecting(memory: CallMemory, beginning: Beginning = {}): Collecting {
  const { limitBytes = 1_000, work = new WorkQueue(), begin } = beginning
  const calls: string[] = []
  const source = bodySource({
    account: memory,
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
    abort: () => void calls.push('abort'),
  })
  const body = new InboundBody(source)
  begin?.(body)
  const reader = new AnswerReader({
    memory,
    json: createJsonEngine(),
    budget: new TurnBudget(),
    jsonDepth: 100,
    limitBytes,
    isStreamed: false,
    keepsBytes: true,
  })
  const { copy } = reader
  const intake: AnswerIntake = {
    hasEnded: false,
    get problem() {
      if (!copy.isCut) return undefined
      return copy.totalBytes > limitBytes ? 'UPSTREAM_TOO_LARGE' : 'OVERLOADED'
    },
    hasRoom: (bytes) => copy.hasRoom(bytes),
    add: (chunk) => reader.add(chunk),
    finish: () => assert.fail('collectAnswer does not finish the intake'),
    bytes: () => copy.join(),
  }
  return {
    body,
    collected: collectAnswer(body, intake, { work, memory }),
    bytes: () => copy.join().toString(),
    calls,
  }
}

test('an answer without room pauses, loses no byte, and resumes when another call ends', async () => {
  const account = new MemoryAccount(100)
  const other = account.open('/other/', new MemoryShare())
  other.add(95)
  const { body, collected, bytes, calls } = collecting(account.open('/llm/', new MemoryShare()))
  body.push(Buffer.from('0123456789'))
  body.push(Buffer.from('abcde'))
  body.end()
  assert.deepEqual(calls, ['resume', 'pause', 'pause'])
  other.releaseAll()
  assert.deepEqual(await collected, { kind: 'whole' })
  assert.equal(bytes(), '0123456789abcde')
})

test('an answer that gets room while it waits resumes its body', async () => {
  const account = new MemoryAccount(100)
  const other = account.open('/other/', new MemoryShare())
  other.add(95)
  const { body, collected, bytes, calls } = collecting(account.open('/llm/', new MemoryShare()))
  body.push(Buffer.from('0123456789'))
  other.releaseAll()
  while (calls.at(-1) !== 'resume') await new Promise((resolve) => setTimeout(resolve, 5))
  body.push(Buffer.from('x'))
  body.end()
  assert.deepEqual(await collected, { kind: 'whole' })
  assert.equal(bytes(), '0123456789x')
})

for (const [name, waitedMs, freed] of [
  ['that find room at one moment go on', 20, 1_000],
  ['that have waited for too long at one moment fail', 5_000, 0],
] as const)
  test(`collected answers ${name} in their turns`, (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const turns: (() => void)[] = []
    const work = { resume: (_: string, resume: () => void) => void turns.push(resume) }
    const account = new MemoryAccount(1_000)
    const other = account.open('/other/', new MemoryShare())
    other.add(1_000)
    const all = Array.from({ length: 10 }, () => collecting(account.open('/llm/', new MemoryShare()), { work }))
    for (const { body } of all) body.push(Buffer.from('0123456789'))
    other.release(freed)
    t.mock.timers.tick(waitedMs)
    const wentOn = () => all.filter(({ bytes, calls }) => bytes() !== '' || calls.includes('abort')).length
    assert.deepEqual([wentOn(), turns.length], [0, 10])
    for (const turn of turns.slice(0, 3)) turn()
    assert.equal(wentOn(), 3)
    for (const turn of turns.slice(3)) turn()
    assert.equal(wentOn(), 10)
  })

test('an answer over its limit fails at once, and an answer without room for 5 s is OVERLOADED', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const account = new MemoryAccount(100)
  const long = collecting(account.open('/llm/', new MemoryShare()), { limitBytes: 5 })
  long.body.push(Buffer.from('0123456789'))
  assert.deepEqual(await long.collected, { kind: 'failed', code: 'UPSTREAM_TOO_LARGE' })
  assert.ok(long.calls.includes('abort'))
  account.open('/other/', new MemoryShare()).add(95)
  const crowded = collecting(account.open('/llm/', new MemoryShare()))
  crowded.body.push(Buffer.from('0123456789'))
  t.mock.timers.tick(4_900)
  assert.ok(!crowded.calls.includes('abort'))
  t.mock.timers.tick(200)
  assert.deepEqual(await crowded.collected, { kind: 'failed', code: 'OVERLOADED' })
  assert.ok(crowded.calls.includes('abort'))
})

test('an answer whose waiting bytes find no room beside the account either is OVERLOADED at once', async () => {
  const account = new MemoryAccount(100)
  const other = account.open('/other/', new MemoryShare())
  other.add(95)
  other.takeSpare(64 * 1024 * 1024 - 15)
  const open = () => collecting(account.open('/llm/', new MemoryShare()))
  const [first, second] = [open(), open()]
  for (const { body } of [first, second]) body.push(Buffer.from('0123456789'))
  assert.deepEqual(await second.collected, { kind: 'failed', code: 'OVERLOADED' })
  assert.ok(second.calls.includes('abort'))
  other.releaseAll()
  while (first.calls.at(-1) !== 'resume') await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal(other.takeSpare(15), true)
})

test('of an answer that fails with its first waiting bytes, no later bytes are kept', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const account = new MemoryAccount(1_000)
  const other = account.open('/other/', new MemoryShare())
  other.add(900)
  const turns: (() => void)[] = []
  const work = { resume: (_: string, resume: () => void) => void turns.push(resume) }
  const begin = (body: InboundBody): void => {
    for (const length of [60, 5]) body.push(Buffer.alloc(length))
    other.add(100)
    other.takeSpare(64 * 1024 * 1024 - 10)
  }
  const { body, collected, calls } = collecting(account.open('/llm/', new MemoryShare()), { work, begin })
  body.push(Buffer.alloc(5))
  assert.deepEqual(await collected, { kind: 'failed', code: 'OVERLOADED' })
  t.mock.timers.tick(10_000)
  assert.deepEqual([calls.includes('abort'), turns.length, other.takeSpare(10)], [true, 0, true])
})

test('an answer that turns out too large when its waiting bytes get room is not resumed', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const account = new MemoryAccount(100)
  const other = account.open('/other/', new MemoryShare())
  other.add(95)
  const { body, collected, calls } = collecting(account.open('/llm/', new MemoryShare()), { limitBytes: 15 })
  body.push(Buffer.from('0123456789'))
  body.push(Buffer.from('0123456789'))
  other.releaseAll()
  t.mock.timers.tick(100)
  assert.deepEqual(await collected, { kind: 'failed', code: 'UPSTREAM_TOO_LARGE' })
  assert.equal(calls.at(-1), 'abort')
})
