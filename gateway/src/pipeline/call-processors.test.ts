import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Bus, CallOptions } from '../bus/bus.ts'
import { createClock } from '../clock.ts'
import type { RowProcessor } from '../config/runtime-config.ts'
import { createJsonEngine, type JsonEngine } from '../json/json-scan.ts'
import { MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import { createMetrics } from '../metrics.ts'
import { CallTurns, STEPS_OF_TURN } from '../work/call-turns.ts'
import { watchTasks } from '../work/tasks-under-test.ts'
import { WorkQueue } from '../work/work-queue.ts'
import { CallPlaces } from './call-places.ts'
import { callProcessors, lacksRequiredAnswer } from './call-processors.ts'
import type { Side } from './side.ts'

// Rules: docs/reference/bus.md#reply, docs/reference/bus.md#required, docs/reference/bus.md#order-of-rows

type Outcome = Awaited<ReturnType<Bus['call']>>

/** A bus that only answers calls and keeps their messages. */
function busThat(answer: (subject: string) => Outcome) {
  const sent: { subject: string; message: Uint8Array; options: CallOptions }[] = []
  const bus: Bus = {
    connected: true,
    maxPayload: undefined,
    call: async (subject, message, options) => {
      sent.push({ subject, message, options })
      return answer(subject)
    },
    flush: async () => false,
    onConnected: () => undefined,
    onDisconnected: () => undefined,
    respond: () => undefined,
    close: async () => undefined,
  }
  return { bus, sent }
}

function processor(name: string, include: readonly string[], over: Partial<RowProcessor> = {}): RowProcessor {
  const input = { include: include.length === 0 ? undefined : new Set(include), exclude: new Set<string>() }
  const flags = { timeoutMs: 1, modifier: false, required: false, async: false, routers: undefined }
  const base = { name, subject: name, input, inputKey: [...include].sort().join(), rerouteTo: undefined, ...flags }
  return { ...base, writes: new Set([name]), ...over }
}

function newSide(): Side {
  const fields = new Map([
    ['a', '1'],
    ['b', '2'],
  ])
  const lists = { processors: [], processorsAsync: [], errors: [] }
  const memory = new MemoryAccount(1_000_000).open('/llm/', new MemoryShare())
  return {
    phase: 'request',
    jsonDepth: 1_000,
    memory,
    turnSteps: 1,
    fields,
    effects: new Map(),
    ...lists,
    control: undefined,
  }
}

const reply = (json: string): Outcome => ({ kind: 'reply', bytes: Buffer.from(json) })
const pipelineParts = {
  places: new CallPlaces(1_000),
  callTurns: new CallTurns(),
  clock: createClock(),
  metrics: createMetrics(),
  json: createJsonEngine(),
  work: new WorkQueue(),
}

test('processors of a row that select the same fields share one message', async () => {
  const { bus, sent } = busThat(() => reply(''))
  const row = [processor('x', ['a', 'b']), processor('y', ['b', 'a']), processor('z', ['a']), processor('none', ['c'])]
  await callProcessors({ ...pipelineParts, bus }, row, newSide())
  const [x, y, z, none] = row.map(({ subject }) => sent.find((call) => call.subject === subject)?.message)
  assert.equal(String(x), '{"a":1,"b":2}')
  assert.equal(x, y, 'the same buffer, not an equal copy')
  assert.equal(String(z), '{"a":1}')
  assert.equal(none, undefined)
})

const outcomes: readonly (readonly [outcome: Outcome, completed: boolean, lacks: boolean, error: readonly string[]])[] =
  [
    [reply('{"p":1}'), true, false, []],
    [reply('{"unlisted":1}'), true, false, []],
    [reply('{}'), false, false, []],
    [reply(''), false, false, []],
    [reply(' \r\n'), false, false, []],
    [reply('[]'), false, true, ['not an object']],
    [reply('"x"'), false, true, ['not an object']],
    [reply('{"p":'), false, true, ['not an object']],
    [{ kind: 'failed', error: 'timeout' }, false, true, ['timeout']],
    [{ kind: 'failed', error: 'no responders' }, false, true, ['no responders']],
    [{ kind: 'failed', error: 'disconnected' }, false, true, ['disconnected']],
    [{ kind: 'failed', error: 'too large' }, false, true, ['too large']],
  ]

for (const [outcome, completed, lacks, error] of outcomes) {
  const title = outcome.kind === 'reply' ? JSON.stringify(String(outcome.bytes)) : outcome.error
  test(`${title}: completed ${completed}, counts as an answer ${!lacks}`, async () => {
    const { bus } = busThat(() => outcome)
    const side = newSide()
    const answers = await callProcessors({ ...pipelineParts, bus }, [processor('p', [], { required: true })], side)
    assert.equal(lacksRequiredAnswer(answers), lacks)
    assert.equal(JSON.parse(side.processors[0] ?? '').details.completed, completed)
    assert.deepEqual(
      side.errors,
      error.map((details) => ({ name: 'p', details })),
    )
  })
}

test('only required processors must answer, and an entry that selects no field counts as answered', async () => {
  const { bus } = busThat(() => ({ kind: 'failed', error: 'timeout' }))
  const optional = await callProcessors({ ...pipelineParts, bus }, [processor('p', [])], newSide())
  assert.equal(lacksRequiredAnswer(optional), false)
  const row = [processor('p', ['nowhere'], { required: true })]
  assert.equal(lacksRequiredAnswer(await callProcessors({ ...pipelineParts, bus }, row, newSide())), false)
})

test('messages of 30 MB for six processors with different fields cause no long task', async () => {
  const { bus, sent } = busThat(() => reply('{}'))
  const payload = Buffer.alloc(30_000_000, 'x')
  const processors = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6'].map((name) => processor(name, ['payload', name]))
  // A busy machine lengthens the copy of 30 MB in some rounds, and a long task all of them.
  let shortest = Number.POSITIVE_INFINITY
  for (let round = 1; round <= 5 && shortest >= 50; round += 1) {
    const memory = new MemoryAccount(1_000_000_000).open('/llm/', new MemoryShare())
    const side: Side = { ...newSide(), memory, fields: new Map([['payload', payload]]) }
    using tasks = watchTasks()
    await callProcessors({ bus, ...pipelineParts }, processors, side)
    await new Promise((resolve) => setImmediate(resolve))
    shortest = Math.min(shortest, tasks.ms)
    assert.equal(sent.length, round * processors.length)
    assert.equal(memory.bytes, 12, 'only the replies are left')
  }
  assert.ok(shortest < 50, `a task of ${shortest} ms`)
})

const FRAME_BYTES = 65_536
const REPLIES: readonly (readonly [name: string, text: string])[] = [
  ['one field', `{"p":"${'x'.repeat(4_200)}"}`],
  ['many fields', `{"p":"${'x'.repeat(4_200)}",${Array.from({ length: 50 }, (_, at) => `"q${at}":{}`).join()}}`],
]

for (const [name, text] of REPLIES) {
  test(`a reply of ${name} keeps nothing of the frame in which it came`, async () => {
    const frame = Buffer.alloc(FRAME_BYTES, `MSG reply 1 ${text.length}\r\n${text}\r\n`)
    const start = frame.indexOf('{')
    const { bus } = busThat(() => ({ kind: 'reply', bytes: frame.subarray(start, start + text.length) }))
    const side = newSide()
    await callProcessors({ ...pipelineParts, bus }, [processor('p', [])], side)
    const written = side.fields.get('p')
    assert.ok(written instanceof Uint8Array)
    assert.ok(written.buffer.byteLength <= 2 * side.memory.bytes, `${written.buffer.byteLength} bytes`)
  })
}

test('invalid UTF-8 in a reply counts with the characters that replace it, and needs room for them', async () => {
  const text = Buffer.concat([Buffer.from('{"p":"'), Buffer.alloc(100_000, 0xff), Buffer.from('"}')])
  const { bus } = busThat(() => ({ kind: 'reply', bytes: text }))
  const side = newSide()
  await callProcessors({ ...pipelineParts, bus }, [processor('p', [])], side)
  const written = side.fields.get('p')
  assert.ok(written instanceof Uint8Array && written.length > 300_000)
  assert.ok(side.memory.bytes >= written.length, `${side.memory.bytes} bytes`)
  const full = { ...newSide(), memory: new MemoryAccount(250_000).open('/llm/', new MemoryShare()) }
  await callProcessors({ ...pipelineParts, bus }, [processor('p', [])], full)
  assert.deepEqual(full.errors, [{ name: 'p', details: 'too large' }])
})

test('calls whose replies arrive together don’t continue in one turn', async () => {
  const arrived = Promise.withResolvers<void>()
  const { bus } = busThat(() => reply('{"p":1}'))
  const waiting: Bus = {
    ...bus,
    call: async (...call) => {
      await arrived.promise
      return bus.call(...call)
    },
  }
  let inTurn = 0
  let most = 0
  const calls = Array.from({ length: 1_000 }, async () => {
    await callProcessors({ ...pipelineParts, bus: waiting }, [processor('p', [])], newSide())
    if (inTurn === 0) setImmediate(() => (inTurn = 0))
    inTurn += 1
    most = Math.max(most, inTurn)
  })
  await new Promise((resolve) => setImmediate(resolve))
  arrived.resolve()
  await Promise.all(calls)
  // The first share goes on at once, and the second at the end of the same turn.
  assert.ok(most <= 2 * STEPS_OF_TURN, `${most} calls in a turn`)
})

test('replies that arrive together aren’t read in one turn, and wait without their frame', async () => {
  const arrived = Promise.withResolvers<void>()
  const frame = Buffer.alloc(FRAME_BYTES, '{"p":1}')
  const { bus } = busThat(() => ({ kind: 'reply', bytes: frame.subarray(0, 7) }))
  const waiting: Bus = {
    ...bus,
    call: async (...call) => {
      await arrived.promise
      return bus.call(...call)
    },
  }
  let inTurn = 0
  let most = 0
  const engine = createJsonEngine()
  const json: JsonEngine = {
    ...engine,
    begin: (...scan) => {
      if (inTurn === 0) setImmediate(() => (inTurn = 0))
      inTurn += 1
      most = Math.max(most, inTurn)
      return engine.begin(...scan)
    },
  }
  const sides = Array.from({ length: 1_000 }, newSide)
  const parts = { ...pipelineParts, bus: waiting, json, callTurns: new CallTurns() }
  const calls = sides.map((side) => callProcessors(parts, [processor('p', [])], side))
  await new Promise((resolve) => setImmediate(resolve))
  arrived.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(new Set(sides.map(({ memory }) => memory.bytes)), new Set([7]), 'replies count when they arrive')
  // The replies, and not the memory that they came in, wait for their turn.
  frame.fill('x')
  await Promise.all(calls)
  assert.deepEqual(new Set(sides.map(({ fields }) => fields.get('p'))), new Set(['1']))
  assert.ok(most <= 2 * STEPS_OF_TURN, `${most} replies in a turn`)
})

test('a router whose processors never reply leaves places to the calls of other routers', async () => {
  const never = Promise.withResolvers<never>()
  const { bus } = busThat(() => reply('{}'))
  const silent: Bus = {
    ...bus,
    call: (subject, ...call) => (subject === 'silent' ? never.promise : bus.call(subject, ...call)),
  }
  const parts = { ...pipelineParts, bus: silent, places: new CallPlaces(2) }
  const account = new MemoryAccount(1_000_000)
  const sideOf = (router: string): Side => ({ ...newSide(), memory: account.open(router, new MemoryShare()) })
  void callProcessors(parts, [processor('silent', [])], sideOf('/hostile/')) // never resolves
  const refused = sideOf('/hostile/')
  const answers = await callProcessors(parts, [processor('p', [], { required: true })], refused)
  assert.equal(lacksRequiredAnswer(answers), true)
  assert.deepEqual(refused.errors, [{ name: 'p', details: 'timeout: not sent, too much waits already' }])
  for (let calls = 0; calls < 3; calls += 1) {
    const others = await callProcessors(parts, [processor('p', [], { required: true })], sideOf('/other/'))
    assert.equal(lacksRequiredAnswer(others), false)
  }
})
