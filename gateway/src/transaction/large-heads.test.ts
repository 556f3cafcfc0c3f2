import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Bus } from '../bus/bus.ts'
import type { BodyResult } from '../http/read-body.ts'
import { createJsonEngine } from '../json/json-scan.ts'
import { CallPlaces } from '../pipeline/call-places.ts'
import type { Upstream, UpstreamAnswer } from '../upstream/upstream.ts'
import { watchTasks } from '../work/tasks-under-test.ts'
import { RecordsUnderTest } from './records-under-test.ts'
import { transact } from './transact.ts'
import { type Answer, callWith, gatewayOf, gatewayWith } from './transact-under-test.ts'

// Rules: docs/reference/http.md#order-of-checks

const ROOM = 58_000
/** The calls of one turn of the event loop (work/call-turns.ts). */
const CALLS = 64
/** The CPU time of a turn that other calls don't notice. */
const TURN_MS = 50
/** A busy machine lengthens some rounds, and a long turn all of them. */
const MOST_ROUNDS = 12

/** A processor that re-routes the calls of one router. */
const ROWS = {
  processors: [
    [
      {
        name: 'p',
        service_bus_topic: 'p',
        timeout: 60_000,
        modifier: true,
        output_fields_write: ['gl_path'],
        routers: ['/rows/'],
      },
    ],
  ],
}

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

/** The calls whose bodies, or whose replies, come at one moment. */
const LATE_CALLS = 40
const BODY = Buffer.from('1')

type LateCall = { readonly name: string; readonly path: string; readonly body: BodyResult; readonly status: number }

const LATE: readonly LateCall[] = [
  { name: 'echoes with a body', path: '/echo/', body: read(BODY), status: 200 },
  { name: 'calls with a body', path: '/llm/', body: read(BODY), status: 504 },
  { name: 'bodies that came too late', path: '/llm/', body: { kind: 'refused', code: 'REQUEST_TIMEOUT' }, status: 408 },
  { name: 'bodies that are no JSON', path: '/llm/', body: read(Buffer.from('x')), status: 400 },
  { name: 'replies that re-route', path: '/rows/', body: read(BODY), status: 504 },
]

for (const { name, path, body, status } of LATE) {
  test(`${LATE_CALLS} long queries that go on at one moment share turns: ${name}`, async () => {
    const records = new RecordsUnderTest(false)
    const replies = { come: Promise.withResolvers<void>(), count: 0 }
    const made = gatewayOf({ upstream: refusing, logs: [], noted: [], request: ROWS })
    await made.bus.close()
    const gateway = { ...made, records, places: new CallPlaces(1_000), bus: rerouting(made.bus, replies) }
    const answers: Answer[][] = Array.from({ length: LATE_CALLS }, () => [])
    let ms = Number.POSITIVE_INFINITY
    for (let round = 0; round < MOST_ROUNDS && ms >= TURN_MS; round += 1) {
      for (const each of answers) each.length = 0
      records.published.length = 0
      replies.come = Promise.withResolvers()
      replies.count = 0
      const bodies = Promise.withResolvers<BodyResult>()
      const post = { method: 'POST', hasBody: true, readBody: () => bodies.promise }
      const calls = answers.map((each) =>
        transact({ ...callWith(each), ...post, target: `${path}?${arrived(QUERY)}` }, gateway),
      )
      await nextTurn()
      using tasks = watchTasks()
      await nextTurn()
      bodies.resolve(body)
      while (path === '/rows/' && replies.count < LATE_CALLS) await nextTurn()
      replies.come.resolve()
      await Promise.all(calls)
      await nextTurn()
      ms = Math.min(ms, tasks.ms)
    }
    assert.ok(ms < TURN_MS, `${ms} ms`)
    assert.deepEqual([...new Set(answers.map(([answer]) => answer?.status))], [status])
    assert.equal(records.published.length, LATE_CALLS)
    const { request } = JSON.parse(String(records.published[0]))
    assert.equal(request.ingress_query_parameters.length, 11_000)
    assert.equal(request.original_gl_path, path === '/rows/' ? path : undefined)
  })
}

function read(bytes: Buffer): BodyResult {
  return { kind: 'read', bytes, scanned: createJsonEngine().scan(bytes, 1) }
}

/** A bus whose processors reply at one moment and re-route their calls. */
function rerouting(bus: Bus, replies: { come: PromiseWithResolvers<void>; count: number }): Bus {
  const bytes = Buffer.from('{"gl_path":"/key/"}')
  return {
    ...bus,
    call: async () => {
      replies.count += 1
      await replies.come.promise
      return { kind: 'reply', bytes }
    },
  }
}

for (const journals of [false, true]) {
  const title = journals ? ', with a journal' : ''
  test(`the record of a router’s call waits for few records of another router${title}`, async () => {
    const records = new RecordsUnderTest(journals)
    const failing = Promise.withResolvers<UpstreamAnswer>()
    const upstream: Upstream = { send: () => failing.promise, close: async () => undefined }
    const gateway = { ...gatewayWith(upstream, [], []), records }
    const targets = [...Array.from({ length: FAILED_CALLS }, () => '/llm/'), '/key/']
    const calls = targets.map((path) => {
      const rawHeaders = ['Api-Key', 'k']
      return transact({ ...callWith([]), rawHeaders, target: `${path}?${arrived(QUERY)}` }, gateway)
    })
    await nextTurn()
    failing.resolve({ kind: 'failed', code: 'UPSTREAM_TIMEOUT' })
    await Promise.all(calls)
    await gateway.bus.close()
    const paths = records.published.map((record) => JSON.parse(String(record)).request.gl_path)
    assert.ok(paths.indexOf('/key/') <= 2, paths.join(' '))
  })
}

/** Returns a new string, as each call of a connection brings one: V8 remembers the parts of a string that it has split. */
function arrived(text: string): string {
  return Buffer.from(text).toString('latin1')
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
