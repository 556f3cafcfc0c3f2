import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGate } from './gate.ts'

const task = (run: () => Promise<void>, bytes = 1, flow = '') => ({
  bytes,
  flow,
  deadline: Number.POSITIVE_INFINITY,
  drop: () => undefined,
  run,
})
const quiet = { overloaded: () => undefined, recovered: () => undefined }

test('tasks beyond the limit wait, and tasks beyond the queue are dropped and counted', async () => {
  const events: string[] = []
  const gate = createGate({
    concurrency: 4,
    waiting: 2,
    waitingBytes: 1_000,
    overloaded: () => events.push('overloaded'),
    recovered: (dropped) => events.push(`recovered ${dropped}`),
  })
  const open = Promise.withResolvers<void>()
  const noting = (name: string) => async () => {
    events.push(name)
    await open.promise
  }
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) gate.run(task(noting(name)))
  assert.deepEqual(events, ['a', 'b', 'overloaded'])
  open.resolve()
  await gate.idle()
  assert.deepEqual(events, ['a', 'b', 'overloaded', 'c', 'd', 'recovered 2'])
})

test('a flow takes no more places than it leaves free, and its waiting tasks hold up no other flow', async () => {
  const ran: string[] = []
  const gate = createGate({ concurrency: 8, waiting: 100, waitingBytes: 1_000, ...quiet })
  const ends = new Map<string, () => void>()
  const add = (name: string, flow: string): void => {
    const open = Promise.withResolvers<void>()
    ends.set(name, open.resolve)
    const run = async (): Promise<void> => {
      ran.push(name)
      await open.promise
    }
    gate.run(task(run, 1, flow))
  }
  for (let n = 1; n <= 9; n += 1) add(`flood ${n}`, '/flood/')
  assert.deepEqual(ran.splice(0), ['flood 1', 'flood 2', 'flood 3', 'flood 4'])
  for (let n = 1; n <= 9; n += 1) add(`other ${n}`, '/other/')
  add('third', '/third/')
  assert.deepEqual(ran.splice(0), ['other 1', 'other 2', 'third'])
  const end = async (name: string): Promise<readonly string[]> => {
    ends.get(name)?.()
    await new Promise((resolve) => setImmediate(resolve))
    return ran.splice(0)
  }
  // The flood has three places and leaves two free.
  assert.deepEqual(await end('flood 1'), [])
  assert.deepEqual(await end('other 1'), ['other 3'])
  assert.deepEqual(await end('third'), ['other 4'])
  assert.deepEqual(gate.load, { running: 6, waiting: 10, waitingBytes: 10, overloaded: false })
  for (let round = 0; round < 20; round += 1) for (const name of ends.keys()) await end(name)
  await gate.idle()
  assert.deepEqual(gate.load, { running: 0, waiting: 0, waitingBytes: 0, overloaded: false })
})

test('after seven flows have taken all places, the first task of each further flow has a place', async () => {
  const ran: string[] = []
  const gate = createGate({ concurrency: 64, firstPlaces: 2, waiting: 1_000, waitingBytes: 1_000, ...quiet })
  const ends = new Map<string, () => void>()
  const add = (flow: string): void => {
    const run = async (): Promise<void> => {
      ran.push(flow)
      await new Promise<void>((resolve) => ends.set(flow, resolve))
    }
    gate.run(task(run, 1, flow))
  }
  for (const flow of ['1', '2', '3', '4', '5', '6', '7']) for (let n = 0; n < 40; n += 1) add(flow)
  assert.equal(ran.splice(0).length, 64)
  for (const flow of ['8', '8', '9', '10']) add(flow)
  assert.deepEqual(ran.splice(0), ['8', '9'])
  ends.get('9')?.()
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(ran.splice(0), ['10'])
})

test('a flow takes no more places than its limit', async () => {
  const ran: string[] = []
  const gate = createGate({ concurrency: 64, ofFlow: 1, waiting: 100, waitingBytes: 1_000, ...quiet })
  const open = Promise.withResolvers<void>()
  const add = (name: string, flow: string): void => {
    const run = async (): Promise<void> => {
      ran.push(name)
      await open.promise
    }
    gate.run(task(run, 1, flow))
  }
  for (const [name, flow] of ['a1', 'a2', 'b1', 'b2'].map((name) => [name, name.charAt(0)] as const)) add(name, flow)
  assert.deepEqual(ran, ['a1', 'b1'])
  open.resolve()
  await gate.idle()
  assert.deepEqual(ran, ['a1', 'b1', 'a2', 'b2'])
})

test('the bytes of waiting tasks are limited too', async () => {
  const ran: string[] = []
  const gate = createGate({ concurrency: 1, waiting: 9, waitingBytes: 10, ...quiet })
  const open = Promise.withResolvers<void>()
  gate.run(task(() => open.promise, 100))
  for (const [name, bytes] of [
    ['six', 6],
    ['seven', 7],
    ['four', 4],
  ] as const) {
    gate.run(task(async () => void ran.push(name), bytes))
  }
  open.resolve()
  await gate.idle()
  assert.deepEqual(ran, ['six', 'four'])
})

test('an unused gate is idle at once', async () => {
  await createGate({ concurrency: 1, waiting: 1, waitingBytes: 1, ...quiet }).idle()
})
