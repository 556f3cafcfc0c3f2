import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import type { LlmAnswer } from '../../fake/llm-answer.ts'
import { type Processor, startProcessor } from '../../fake/processor.ts'
import { askRaw } from '../../fake/raw-answer.ts'
import { openRawConnection, type RawConnection } from '../../fake/raw-http.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#connections-to-the-llm-api, docs/reference/http.md#memory

const BUFFERED_BYTES = 1_000_000
/** The bytes that a call counts for its connections. */
const CALL_BYTES = 20 * 1024
let scene: Scene
let processor: Processor
let held = Promise.withResolvers<void>()
const unhandled: unknown[] = []
const collectFault = (reason: unknown): void => {
  unhandled.push(reason)
}

before(async () => {
  process.on('unhandledRejection', collectFault)
  process.on('uncaughtExceptionMonitor', collectFault)
  const entry = { service_bus_topic: 'llm.gl.probe', timeout: 10_000, output_fields_write: ['noted'] }
  scene = await startScene({
    admin: true,
    routers: (url) => [
      ...['/llm/', '/request-row/', '/response-row/', '/head-row/', '/async-row/'].map((path) => ({
        path,
        outbound: { url },
      })),
      { path: '/key/', ingress: { headers: { 'Api-Key': ['k'] } }, outbound: { url } },
    ],
    config: {
      limits: { buffered_bytes: BUFFERED_BYTES, request_idle_timeout_ms: 20_000 },
      request: { processors: [[{ ...entry, name: 'request', routers: ['/request-row/'] }]] },
      response: {
        processors: [
          [{ ...entry, name: 'response', routers: ['/response-row/', '/echo/'] }],
          [{ ...entry, name: 'head', routers: ['/head-row/'], input_fields_include: ['inbound_status_code'] }],
          [{ ...entry, name: 'later', async: true, routers: ['/async-row/'] }],
        ],
      },
    },
  })
  processor = await startProcessor(scene.nats, 'llm.gl.probe', () => held.promise.then(() => ({ noted: true })))
})
// A call that is counted wrongly would hold up the drain for drain_ms, ten minutes.
after(
  async () => {
    await processor.close()
    await scene.close()
    process.off('unhandledRejection', collectFault)
    process.off('uncaughtExceptionMonitor', collectFault)
  },
  { timeout: 60_000 },
)
beforeEach(() => {
  held = Promise.withResolvers()
  scene.llm.requests.clear()
  scene.records.clear()
  processor.messages.clear()
})

/** Checks that the test has left no call in flight, no held byte and no unhandled rejection. */
afterEach(async () => {
  held.resolve()
  const { gateway, llm } = scene
  const hasNo = async (metric: string): Promise<boolean> => {
    const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
    return metrics.includes(`\n${metric} 0\n`)
  }
  llm.respond(() => ({ kind: 'answer', body: '{}' }))
  await until(() => hasNo('llm_gateway_inflight_requests'))
  // The most that may be held at once: after a leak of one byte this call stays at 503.
  const body = `"${'x'.repeat(BUFFERED_BYTES - CALL_BYTES - 2)}"`
  await until(async () => {
    const answer = await askRaw(gateway.port, '/llm/all', { method: 'POST', body })
    await scene.recordOf(answer)
    return answer.status === 200
  })
  // The record's bytes are held until the bus has confirmed it, and would leave no room for the next test's call.
  await until(() => hasNo('llm_gateway_buffered_bytes'))
  assert.deepEqual(unhandled, [])
  const errors = gateway.logs.entries.filter(({ level }) => level === 'ERROR')
  assert.deepEqual(errors, [])
})

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await holds())) assert.ok(performance.now() < end, 'within 60 s')
}

const BODY = `"${'b'.repeat(50_000)}"`
const requestHead = (path: string): string =>
  `POST ${path}x HTTP/1.1\r\nHost: a\r\nContent-Length: ${BODY.length}\r\n\r\n`
const chunked = (path: string): string => `POST ${path}x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`
const piece = `${(10_000).toString(16)}\r\n${'1'.repeat(10_000)}\r\n`
const hang = (): LlmAnswer => ({ kind: 'hang' })
const part = (): LlmAnswer => ({ kind: 'answer', body: ['x'.repeat(100_000)], ending: 'hang' })
const whole = (): LlmAnswer => ({ kind: 'answer', body: JSON.stringify('x'.repeat(100_000)) })

const small = (): LlmAnswer => ({ kind: 'answer', body: '{}' })

type Stage = {
  readonly name: string
  readonly send: string
  readonly respond?: () => LlmAnswer
  /** Resolves when the call has reached the point at which the caller leaves. */
  readonly reached: (caller: RawConnection) => Promise<unknown>
  /** The record's status; undefined means no record. */
  readonly status: number | undefined
}

const sent = async (): Promise<void> => undefined
const asked = (): Promise<unknown> => scene.llm.requests.waitUntil(([seen]) => seen?.complete === true)
const called = (): Promise<unknown> => processor.messages.waitForCount(1)
const answered = (caller: RawConnection): Promise<unknown> => caller.waitFor(/HTTP\/1\.1 200/)
const pipelined = `${requestHead('/llm/')}${BODY}`.repeat(3)

const stages: readonly Stage[] = [
  { name: 'connected', send: '', reached: sent, status: undefined },
  { name: 'half a head', send: requestHead('/llm/').slice(0, 20), reached: sent, status: undefined },
  { name: 'half a declared body', send: requestHead('/llm/') + BODY.slice(1_000), reached: sent, status: 499 },
  { name: 'half a chunked body', send: chunked('/llm/') + piece, reached: sent, status: 499 },
  { name: 'a refused body', send: requestHead('/none/') + BODY.slice(1_000), reached: sent, status: undefined },
  { name: 'a request row', send: requestHead('/request-row/') + BODY, reached: called, status: 499 },
  { name: 'no answer yet', send: requestHead('/llm/') + BODY, respond: hang, reached: asked, status: 499 },
  { name: 'half an answer', send: requestHead('/llm/') + BODY, respond: part, reached: answered, status: 499 },
  {
    name: 'an answer being collected',
    send: requestHead('/response-row/') + BODY,
    respond: part,
    reached: asked,
    status: 499,
  },
  {
    name: 'a response row',
    send: requestHead('/response-row/') + BODY,
    respond: whole,
    reached: called,
    status: 499,
  },
  {
    name: 'a response row before the payload',
    send: requestHead('/head-row/') + BODY,
    respond: small,
    reached: called,
    status: 499,
  },
  {
    name: 'a response row before a large payload',
    send: requestHead('/head-row/') + BODY,
    respond: whole,
    reached: called,
    status: 499,
  },
  { name: 'a response row of /echo/', send: requestHead('/echo/') + BODY, reached: called, status: 499 },
  { name: 'an async row', send: requestHead('/async-row/') + BODY, respond: whole, reached: called, status: 200 },
  {
    name: 'pipelined calls',
    send: pipelined,
    respond: hang,
    // The callers run one after another; the others wait.
    reached: () => scene.llm.requests.waitForCount(1),
    status: 499,
  },
]

for (const how of ['close', 'reset'] as const) {
  for (const { name, send, respond = whole, reached, status } of stages) {
    test(`hostile HTTP: a caller that leaves (${how}) at ${name} leaves no call, memory or connection behind`, async () => {
      scene.llm.respond(respond)
      const callers = await Promise.all([openRawConnection(scene.gateway.port), openRawConnection(scene.gateway.port)])
      const [caller] = callers
      // The other caller stays connected and silent until both leave.
      if (send !== '') await caller.send(send)
      await reached(caller)
      for (const { socket } of callers) {
        if (how === 'close') socket.destroy()
        else socket.resetAndDestroy()
      }
      // This answer shows that the gateway has noticed the departure.
      await fetch(`${scene.gateway.adminUrl}/healthz`)
      held.resolve()
      if (respond !== whole && respond !== small)
        await scene.llm.requests.waitUntil((all) => all.every(({ aborted }) => aborted))
      if (status === undefined) return
      const [record] = await scene.records.waitForCount(1)
      assert.equal(record?.field('response.egress_status_code'), status)
      if (name === 'a request row') assert.equal(scene.llm.requests.total, 0)
      assert.equal(record?.record.error_type, status === 499 ? 'caller_cancelled' : undefined)
    })
  }
}

test('hostile HTTP: 200 callers that leave at random points', async () => {
  const { gateway, llm } = scene
  llm.respond(({ number }) => [whole(), part(), hang(), { kind: 'reset' } as const][number % 4] ?? hang())
  held.resolve()
  await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const path = ['/llm/', '/request-row/', '/response-row/', '/async-row/', '/none/', '/echo/'][index % 6] ?? '/'
      const bytes = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\n"${'x'.repeat(498)}"`
      using caller = await openRawConnection(gateway.port)
      await caller.send(bytes.slice(0, 10 + index * 3))
      if (index % 2 === 0) caller.socket.resetAndDestroy()
    }),
  )
})
