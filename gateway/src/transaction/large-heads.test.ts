import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Upstream, UpstreamAnswer } from '../upstream/upstream.ts'
import { watchTasks } from '../work/tasks-under-test.ts'
import { RecordsUnderTest } from './records-under-test.ts'
import { transact } from './transact.ts'
import { type Answer, callWith, gatewayWith } from './transact-under-test.ts'

// Rules: docs/reference/http.md#order-of-checks

const ROOM = 58_000
/** The calls of one turn of the event loop (work/call-turns.ts). */
const CALLS = 64
/** The CPU time of a turn that other calls don't notice. */
const TURN_MS = 50
/** A busy machine lengthens some rounds, and a long turn all of them. */
const MOST_ROUNDS = 12

const refusing: Upstream = {
  send: async () => ({ kind: 'failed', code: 'UPSTREAM_TIMEOUT' }),
  close: async () => undefined,
}

/** Heads just below header_bytes, and the status of their answer. */
const heads: readonly (readonly [name: string, rawHeaders: readonly string[], hasBody: boolean, status: number])[] = [
  ['Connection of commas', ['Connection', ','.repeat(ROOM)], false, 431],
  ['Connection of names', ['Connection', 'a,'.repeat(ROOM / 2)], false, 431],
  ['Transfer-Encoding of commas', ['Transfer-Encoding', `${','.repeat(ROOM)}chunked`], true, 415],
  ['Transfer-Encoding of names', ['Transfer-Encoding', `${'a,'.repeat(ROOM / 2)}chunked`], true, 415],
  ['Content-Encoding of names', ['Content-Encoding', 'a,'.repeat(ROOM / 2)], true, 415],
  [
    'name of hyphens and a long Connection',
    ['-a'.repeat(ROOM / 4), '', 'Connection', ','.repeat(ROOM / 2)],
    false,
    431,
  ],
]

for (const [name, rawHeaders, hasBody, status] of heads) {
  test(`${CALLS} calls with a long ${name} take little of a turn`, async () => {
    const gateway = gatewayWith(refusing, [], [])
    const answers: Answer[][] = Array.from({ length: CALLS }, () => [])
    let ms = Number.POSITIVE_INFINITY
    for (let round = 0; round < MOST_ROUNDS && ms >= TURN_MS; round += 1) {
      for (const each of answers) each.length = 0
      using tasks = watchTasks()
      await nextTurn()
      await Promise.all(answers.map((each) => transact({ ...callWith(each), rawHeaders, hasBody }, gateway)))
      await nextTurn()
      ms = Math.min(ms, tasks.ms)
    }
    await gateway.bus.close()
    assert.ok(ms < TURN_MS, `${ms} ms`)
    assert.deepEqual([...new Set(answers.map(([answer]) => answer?.status))], [status])
  })
}

/** The calls that fail together, each with a query of 58 KB. */
const FAILED_CALLS = 16
const QUERY = Array.from({ length: 11_000 }, (_, index) => index.toString(16)).join('&')

const failures: readonly (readonly [name: string, path: string, status: number, journals: boolean])[] = [
  ['whose LLM API times out', '/llm/', 504, false],
  ['whose LLM API times out, with a journal', '/llm/', 504, true],
  ['that fail the ingress check', '/key/', 401, false],
]

for (const [name, path, status, journals] of failures) {
  test(`${FAILED_CALLS} calls at one moment ${name} make their records in turns`, async () => {
    const records = new RecordsUnderTest(journals)
    let failing = Promise.withResolvers<UpstreamAnswer>()
    const upstream: Upstream = { send: () => failing.promise, close: async () => undefined }
    const gateway = { ...gatewayWith(upstream, [], []), records }
    const answers: Answer[][] = Array.from({ length: FAILED_CALLS }, () => [])
    let ms = Number.POSITIVE_INFINITY
    // The smallest cost of some rounds: the first one compiles the code, and a garbage collection may fall into another.
    for (let round = 0; round < MOST_ROUNDS && ms >= TURN_MS; round += 1) {
      for (const each of answers) each.length = 0
      failing = Promise.withResolvers()
      records.published.length = 0
      using tasks = watchTasks()
      await nextTurn()
      const calls: Promise<void>[] = []
      for (const each of answers) {
        calls.push(transact({ ...callWith(each), target: `${path}?${arrived(QUERY)}` }, gateway))
        // Calls that reach the LLM API meet only when they fail.
        if (status === 504) await nextTurn()
      }
      failing.resolve({ kind: 'failed', code: 'UPSTREAM_TIMEOUT' })
      await Promise.all(calls)
      await nextTurn()
      ms = Math.min(ms, tasks.ms)
    }
    await gateway.bus.close()
    assert.ok(ms < TURN_MS, `${ms} ms`)
    assert.deepEqual([...new Set(answers.map(([answer]) => answer?.status))], [status])
    assert.equal(records.published.length, FAILED_CALLS)
    const { request } = JSON.parse(String(records.published[0]))
    assert.equal(request.ingress_query_parameters.length, 11_000)
  })
}

/** Returns a new string, as each call of a connection brings one: V8 remembers the parts of a string that it has split. */
function arrived(text: string): string {
  return Buffer.from(text).toString('latin1')
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
