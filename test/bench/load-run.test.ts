import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLlm } from '../fake/llm.ts'
import { jsonAnswer } from '../fake/llm-answer.ts'
import { chatBody } from './chat-body.ts'
import { type RunPlan, run } from './load-run.ts'

function plan(port: number, over: Partial<RunPlan>): RunPlan {
  let serial = 0
  return {
    target: { port, path: '/', body: chatBody(512, 'ascii'), answerBytes: 2 },
    connections: 4,
    seconds: 30,
    nextSerial: () => {
      serial += 1
      return serial
    },
    mayStart: () => true,
    ...over,
  }
}

test('the closed loop sends each serial once over its keep-alive connections', async () => {
  await using llm = await startLlm({ respond: () => jsonAnswer({}) })
  const result = await run(plan(llm.port, { requests: 200 }))
  assert.deepEqual([result.ok, result.errors, result.latency.count], [200, 0, 200])
  assert.equal(llm.connections, 4)
  const users = llm.requests.entries.map((request) => /bench-(\d+)/.exec(request.body.toString())?.[1])
  assert.equal(new Set(users).size, 200)
})

test('an answer with an unexpected length or status and a closed connection count as errors', async () => {
  await using llm = await startLlm()
  llm.respond(({ number }) => {
    if (number === 1) return jsonAnswer({ a: 1 })
    if (number === 2) return jsonAnswer({}, { status: 500 })
    return number === 3 ? { kind: 'reset' } : jsonAnswer({})
  })
  const result = await run(plan(llm.port, { requests: 20, connections: 1 }))
  assert.deepEqual([result.ok, result.errors], [17, 3])
})

test('the open loop sends every call that was due and measures its latency from the due time, including the wait for a connection', async () => {
  const gate = Promise.withResolvers<void>()
  await using llm = await startLlm({
    respond: async () => {
      await gate.promise
      return jsonAnswer({})
    },
  })
  const running = run(plan(llm.port, { rate: 200, seconds: 0.5, connections: 2 }))
  // Only two calls can be under way; the other 98 wait, due every 5 ms.
  await llm.requests.waitForCount(2)
  setTimeout(() => gate.resolve(), 700)
  const result = await running
  assert.deepEqual([result.ok, result.errors], [100, 0])
  assert.ok(result.latency.p50 > 300, `p50 ${result.latency.p50}`)
})

test('the closed loop pauses while records are missing', async () => {
  await using llm = await startLlm({ respond: () => jsonAnswer({}) })
  let arrived = 0
  const heldBack = Promise.withResolvers<void>()
  const mayStart = (answered: number): boolean => {
    if (answered - arrived < 10) return true
    heldBack.resolve()
    return false
  }
  const running = run(plan(llm.port, { requests: 50, mayStart }))
  await heldBack.promise
  assert.ok(llm.requests.total < 10 + 4)
  arrived = 50
  const result = await running
  assert.equal(result.ok, 50)
  assert.ok(result.waits > 0)
})
