import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises'
import { listenUntilEnd } from '@llm-gateway/test/fake/listen'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import { createJsonEngine } from '../json/json-scan.ts'
import { type CallMemory, MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import { watchTasks } from '../work/tasks-under-test.ts'
import { TurnBudget } from '../work/turn-budget.ts'
import { WorkQueue } from '../work/work-queue.ts'
import { type BodyLimits, type BodyResult, type ReadBodyOptions, readBody } from './read-body.ts'

// Rules: docs/reference/http.md#connections-to-the-llm-api

const MIB = 1024 * 1024

const limits = {
  requestBytes: 1_000_000,
  requestIdleTimeoutMs: 60_000,
  requestBodyTimeoutMs: 60_000,
  jsonDepth: 1_000,
}

const connection = {
  openBody: () => undefined,
  closeBody: () => undefined,
  holdBody: () => undefined,
  isPaused: false,
  resumedMs: 0,
  countPiece: () => undefined,
  noteArrival: () => undefined,
}

function reading(changed: Partial<BodyLimits> = {}): ReadBodyOptions {
  const memory = new MemoryAccount(1_000_000).open('/llm/', new MemoryShare())
  const budget = new TurnBudget()
  return { limits: { ...limits, ...changed }, memory, json: createJsonEngine(), budget, work: new WorkQueue() }
}

test('a body that was read stays complete when its connection fails afterwards', async (t) => {
  const read = Promise.withResolvers<readonly [IncomingMessage, ReturnType<typeof readBody>]>()
  const server = createServer((request) => read.resolve([request, readBody(request, connection, reading())]))
  const port = await listenUntilEnd(t, server)
  const body = 'x'.repeat(200_000)
  // The request gets no answer.
  void fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body }).catch(() => undefined)
  const [request, bodyRead] = await read.promise
  const result = await bodyRead
  request.emit('error', new Error('reset'))
  assert.ok(result.kind === 'read')
  assert.equal(result.bytes.toString(), body)
})

test('reading the body of a caller that has left ends at once', async (t) => {
  const left = Promise.withResolvers<IncomingMessage>()
  const server = createServer((request) => request.on('close', () => left.resolve(request)))
  const port = await listenUntilEnd(t, server)
  const caller = connect(port, '127.0.0.1')
  caller.on('error', () => undefined)
  caller.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{')
  await once(server, 'request')
  caller.resetAndDestroy()
  assert.deepEqual(await readBody(await left.promise, connection, reading()), { kind: 'caller gone' })
})

test('a body waits for its turn no longer once its paused connection has closed', async (t) => {
  let asked = 0
  const paused = {
    ...connection,
    get isPaused() {
      asked += 1
      return true
    },
  }
  const arrived = Promise.withResolvers<IncomingMessage>()
  const server = createServer((request) => {
    const options = reading()
    options.budget.spend(1_000)
    void readBody(request, paused, options)
    arrived.resolve(request)
  })
  const port = await listenUntilEnd(t, server)
  const caller = connect(port, '127.0.0.1')
  t.after(() => caller.destroy())
  caller.on('error', () => undefined)
  caller.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{')
  const { socket } = await arrived.promise
  while (asked === 0) await nextTurn()
  socket.destroy()
  await once(socket, 'close')
  const before = asked
  for (let turns = 0; turns < 3; turns += 1) await nextTurn()
  assert.equal(asked, before)
})

test('a body that arrives with its head needs no timer', async (t) => {
  const timers: string[] = []
  const { setTimeout: start } = globalThis
  t.mock.method(globalThis, 'setTimeout', (...parameters: Parameters<typeof start>) => {
    timers.push(parameters[0].name)
    return start(...parameters)
  })
  const settled = Promise.withResolvers<BodyResult>()
  const server = createServer((request) => void readBody(request, connection, reading()).then(settled.resolve))
  const port = await listenUntilEnd(t, server)
  const caller = connect(port, '127.0.0.1')
  t.after(() => caller.destroy())
  caller.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}')
  assert.equal((await settled.promise).kind, 'read')
  assert.ok(!timers.includes('checkTime'), timers.join(' '))
})

for (const [name, framing, part] of [
  ['no byte', 'Content-Length: 9', ''],
  ['one byte', 'Content-Length: 9', '{'],
  ['one chunk', 'Transfer-Encoding: chunked', '1\r\n{\r\n'],
]) {
  test(`a body of which ${name} has arrived is ended where another call needs its room`, async (t) => {
    const account = new MemoryAccount(100, () => performance.now() + 10_000)
    const memory = account.open('/llm/', new MemoryShare())
    assert.equal(memory.take(80), true)
    const begun = Promise.withResolvers<Promise<BodyResult>>()
    let arrived = 0
    const counting = { ...connection, countPiece: (bytes: number) => (arrived += bytes) }
    const server = createServer((request) => begun.resolve(readBody(request, counting, { ...reading(), memory })))
    const port = await listenUntilEnd(t, server)
    const caller = connect(port, '127.0.0.1')
    t.after(() => caller.destroy())
    caller.on('error', () => undefined)
    caller.write(`POST / HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n${part}`)
    await once(server, 'request')
    while (arrived < (part === '' ? 0 : 1)) await nextTurn()
    assert.equal(account.open('/other/', new MemoryShare()).take(25), true)
    assert.deepEqual(await begun.promise, { kind: 'refused', code: 'REQUEST_TIMEOUT' })
  })
}

test('a refused body releases its own bytes, and none of its call', async (t) => {
  const options = reading({ requestBytes: 10_000 })
  const { memory } = options
  assert.equal(memory.take(80), true)
  const read = Promise.withResolvers<BodyResult>()
  const server = createServer((request) => read.resolve(readBody(request, connection, options)))
  const port = await listenUntilEnd(t, server)
  const caller = connect(port, '127.0.0.1')
  t.after(() => caller.destroy())
  caller.on('error', () => undefined)
  caller.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
  for (let chunks = 0; chunks < 3; chunks += 1) caller.write(`1388\r\n${'x'.repeat(5_000)}\r\n`)
  assert.deepEqual(await read.promise, { kind: 'refused', code: 'BODY_TOO_LARGE' })
  assert.equal(memory.bytes, 80)
})

/** Begins a body of which no byte arrives, with an idle time of 20 ms, on a connection that the gateway has paused. */
async function pausedBody(t: TestContext, memory: CallMemory) {
  const state = { isPaused: false, resumedMs: 0, looks: 0, isSettled: false }
  const paused = {
    ...connection,
    get isPaused() {
      state.looks += 1
      return state.isPaused
    },
    get resumedMs() {
      return state.resumedMs
    },
  }
  const options = { ...reading({ requestIdleTimeoutMs: 20 }), memory }
  const begun = Promise.withResolvers<readonly [Promise<BodyResult>]>()
  const server = createServer((request) => {
    state.isPaused = true
    begun.resolve([readBody(request, paused, options)])
  })
  const port = await listenUntilEnd(t, server)
  const caller = connect(port, '127.0.0.1')
  t.after(() => caller.destroy())
  caller.on('error', () => undefined)
  caller.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n')
  const [body] = await begun.promise
  void body.then(() => {
    state.isSettled = true
  })
  /** Resolves once the end of the idle time, or of its extension, has come. */
  const idleTimeEnded = async (): Promise<void> => {
    const before = state.looks
    while (state.looks === before && !state.isSettled) await setTimeout(1)
    await nextTurn()
  }
  return { state, body, idleTimeEnded }
}

test('a body whose connection the gateway has paused is not silent', { timeout: 60_000 }, async (t) => {
  const { state, body, idleTimeEnded } = await pausedBody(t, reading().memory)
  await idleTimeEnded()
  assert.equal(state.isSettled, false)
  state.isPaused = false
  // The connection is read in the next turn.
  state.resumedMs = performance.now()
  await idleTimeEnded()
  assert.deepEqual(await body, { kind: 'refused', code: 'REQUEST_TIMEOUT' })
})

test('a body does not outlast its idle time for long, however often the gateway pauses its connection', {
  timeout: 20_000,
}, async (t) => {
  const now = performance.now.bind(performance)
  let passedMs = 0
  t.mock.method(performance, 'now', () => now() + passedMs)
  const { state, body, idleTimeEnded } = await pausedBody(t, reading().memory)
  await idleTimeEnded()
  assert.equal(state.isSettled, false)
  passedMs = 15_000
  assert.deepEqual(await body, { kind: 'refused', code: 'REQUEST_TIMEOUT' })
})

test('a body whose connection the gateway has paused is ended where no other makes room', {
  timeout: 60_000,
}, async (t) => {
  const account = new MemoryAccount(100, () => performance.now() + 10_000)
  const memory = account.open('/llm/', new MemoryShare())
  assert.equal(memory.take(80), true)
  const { body } = await pausedBody(t, memory)
  assert.equal(account.open('/other/', new MemoryShare()).take(25), true)
  assert.deepEqual(await body, { kind: 'refused', code: 'REQUEST_TIMEOUT' })
})

test('the last bytes of 60 bodies of 1 MiB that come together take many turns', { timeout: 60_000 }, async (t) => {
  const [budget, work] = [new TurnBudget(), new WorkQueue()]
  const results: Promise<BodyResult>[] = []
  let memory = new MemoryAccount(0).open('/llm/', new MemoryShare())
  let arrived = 0
  const counting = {
    ...connection,
    countPiece: (bytes: number) => {
      arrived += bytes
    },
  }
  const server = createServer((request) => {
    const options = { ...reading({ requestBytes: MIB }), memory, budget, work }
    results.push(readBody(request, counting, options))
  })
  const port = await listenUntilEnd(t, server)
  const body = `[${'1,'.repeat(MIB / 2 - 2)}1]`
  await assertShortTurns(50, async () => {
    memory = new MemoryAccount(256 * 1024 * 1024).open('/llm/', new MemoryShare())
    results.length = 0
    arrived = 0
    const callers = Array.from({ length: 60 }, () => connect({ port, host: '127.0.0.1', noDelay: true }))
    t.after(() => {
      for (const caller of callers) caller.destroy()
    })
    for (const caller of callers) {
      caller.on('error', () => undefined)
      caller.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`)
    }
    while (arrived < callers.length * (body.length - 1)) await setTimeout(10)
    for (const caller of callers) caller.write(']')
    using tasks = watchTasks()
    const read = await Promise.all(results)
    await nextTurn()
    assert.deepEqual([...new Set(read.map(({ kind }) => kind))], ['read'])
    return tasks.ms
  })
})

const SIDE_BY_SIDE = 12

/** Connects callers whose bodies are read side by side; `arrived` is the number of bytes of all of them. */
async function bodiesSideBySide(t: TestContext, framing: string) {
  const [budget, work] = [new TurnBudget(), new WorkQueue()]
  const account = new MemoryAccount(256 * MIB)
  const state = { arrived: 0, ended: 0 }
  const counting = {
    ...connection,
    countPiece: (bytes: number) => {
      state.arrived += bytes
    },
  }
  const results: Promise<BodyResult>[] = []
  const server = createServer((request) => {
    const memory = account.open('/llm/', new MemoryShare())
    const result = readBody(request, counting, { ...reading({ requestBytes: 8 * MIB }), memory, budget, work })
    results.push(result)
    void result.then(() => {
      state.ended += 1
    })
  })
  const port = await listenUntilEnd(t, server)
  const callers = Array.from({ length: SIDE_BY_SIDE }, () => connect({ port, host: '127.0.0.1', noDelay: true }))
  t.after(() => {
    for (const caller of callers) caller.destroy()
  })
  const send = (part: string | Buffer): void => {
    for (const caller of callers) caller.write(part)
  }
  for (const caller of callers) caller.on('error', () => undefined)
  send(`POST / HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n`)
  return { state, results, send }
}

/** Counts events until `isOver`, and returns the most of one turn of the event loop. */
async function mostInTurn(count: () => number, isOver: () => boolean): Promise<number> {
  let most = 0
  for (let before = count(); !isOver(); before = count()) {
    await nextTurn()
    most = Math.max(most, count() - before)
  }
  return most
}

test('where many bodies outgrow their memory at one moment, each turn moves a few of them', {
  timeout: 60_000,
}, async (t) => {
  let grown = 0
  const { allocUnsafeSlow } = Buffer
  t.mock.method(Buffer, 'allocUnsafeSlow', (bytes: number) => {
    if (bytes === 8 * MIB) grown += 1
    return allocUnsafeSlow(bytes)
  })
  const { state, results, send } = await bodiesSideBySide(t, `Content-Length: ${8 * MIB}`)
  send(Buffer.alloc(4 * MIB - 1, '1'))
  while (state.arrived < SIDE_BY_SIDE * (4 * MIB - 1)) await nextTurn()
  send(Buffer.alloc(4 * MIB + 1, '1'))
  const most = await mostInTurn(
    () => grown,
    () => state.ended === SIDE_BY_SIDE,
  )
  assert.equal(grown, SIDE_BY_SIDE)
  assert.ok(most <= 3, `${most} bodies grew in one turn`)
  assert.deepEqual([...new Set((await Promise.all(results)).map(({ kind }) => kind))], ['read'])
})

test('where many chunked bodies end at one moment, each turn moves a few of them to memory of their size', {
  timeout: 60_000,
}, async (t) => {
  const { state, results, send } = await bodiesSideBySide(t, 'Transfer-Encoding: chunked')
  const length = 5 * MIB
  send(`${length.toString(16)}\r\n`)
  send(Buffer.alloc(length, '1'))
  while (state.arrived < SIDE_BY_SIDE * length) await nextTurn()
  send('\r\n0\r\n\r\n')
  const most = await mostInTurn(
    () => state.ended,
    () => state.ended === SIDE_BY_SIDE,
  )
  assert.ok(most <= 6, `${most} bodies ended in one turn`)
  for (const result of await Promise.all(results)) {
    assert.ok(result.kind === 'read')
    assert.equal(result.bytes.buffer.byteLength, length)
  }
})

test('a whole body is scanned although others use up each turn', { timeout: 60_000 }, async (t) => {
  const options = reading()
  let runs = true
  const use = (): void => {
    options.budget.spend(1_000)
    if (runs) setImmediate(use)
  }
  t.after(() => {
    runs = false
  })
  const settled = Promise.withResolvers<BodyResult>()
  const server = createServer((request) => void readBody(request, connection, options).then(settled.resolve))
  const port = await listenUntilEnd(t, server)
  const body = `[${'1,'.repeat(25_000)}1]`
  use()
  await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, signal: AbortSignal.timeout(2_000) }).catch(
    () => undefined,
  )
  assert.equal((await settled.promise).kind, 'read')
})

const drips: readonly (readonly [name: string, limits: Partial<BodyLimits>, result: string])[] = [
  ['never pauses for long is read', { requestIdleTimeoutMs: 2_000 }, 'read'],
  ['takes too long in all is cut', { requestIdleTimeoutMs: 2_000, requestBodyTimeoutMs: 1_000 }, 'REQUEST_TIMEOUT'],
  ['may take less time than a pause is cut', { requestBodyTimeoutMs: 1_000 }, 'REQUEST_TIMEOUT'],
]

for (const [name, changed, expected] of drips) {
  test(`a body that arrives byte by byte and ${name}`, async (t) => {
    const settled = Promise.withResolvers<BodyResult>()
    const server = createServer((request) => void readBody(request, connection, reading(changed)).then(settled.resolve))
    const port = await listenUntilEnd(t, server)
    const body = '"123456789012"'
    const caller = connect({ port, host: '127.0.0.1', noDelay: true })
    t.after(() => caller.destroy())
    caller.on('error', () => undefined)
    caller.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`)
    for (const byte of body) {
      caller.write(byte)
      await setTimeout(250)
    }
    const result = await settled.promise
    assert.equal(result.kind === 'refused' ? result.code : result.kind, expected)
  })
}
