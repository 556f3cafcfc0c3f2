import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { LlmAnswer } from '../../fake/llm-answer.ts'
import { readMetric } from '../../fake/metric.ts'
import { type PipelineScene, startPipelineScene } from '../../fake/pipeline-scene.ts'

// Rules: docs/reference/http.md#memory

const CALLS = 240
const AT_ONCE = 12
const MOST_MS = 40

const seed = Number(process.env.SEED ?? Date.now() % 100_000)
let state = seed

/** Returns a pseudo-random integer below `end`. */
function randomBelow(end: number): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
  return Math.floor((state / 2 ** 32) * end)
}

function oneOf<T>(values: readonly T[]): T {
  const value = values[randomBelow(values.length)]
  assert.ok(value !== undefined)
  return value
}

const JSON_TYPE = ['Content-Type', 'application/json'] as const
const LARGE = JSON.stringify({ text: 'x'.repeat(900_000), list: [1, 2] }, null, 1)
const CHUNK = `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"${'y'.repeat(500)}"}}]}\n\n`
const EVENTS = ['Content-Type', 'text/event-stream'] as const
const GZIP = ['Content-Encoding', 'gzip'] as const

const answers: readonly (() => LlmAnswer)[] = [
  () => ({ kind: 'answer', headers: [JSON_TYPE], body: LARGE }),
  () => ({ kind: 'answer', headers: [JSON_TYPE], body: [LARGE.slice(0, 500_000), LARGE.slice(500_000)] }),
  () => ({ kind: 'answer', headers: [JSON_TYPE, GZIP], body: gzipSync(LARGE) }),
  () => ({ kind: 'answer', headers: [JSON_TYPE, GZIP], body: gzipSync(LARGE).subarray(0, 300) }),
  () => ({ kind: 'answer', headers: [JSON_TYPE, GZIP], body: LARGE }),
  () => ({ kind: 'answer', headers: [EVENTS], body: Array.from({ length: 200 }, () => CHUNK) }),
  () => ({ kind: 'answer', headers: [EVENTS, GZIP], body: gzipSync(CHUNK.repeat(300)) }),
  () => ({ kind: 'answer', headers: [JSON_TYPE], body: [LARGE], ending: 'reset' }),
  () => ({ kind: 'answer', status: 401, headers: [JSON_TYPE], body: '{}' }),
  () => ({ kind: 'answer', headers: [['Content-Type', 'image/png']], body: Buffer.alloc(200_000, 0xff) }),
  () => ({ kind: 'raw', bytes: 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 2' }),
  () => ({ kind: 'reset' }),
  () => ({ kind: 'close' }),
]
const bodies = ['{}', '[', '{ "a": 1 }', LARGE, `${LARGE} `.repeat(2), JSON.stringify('z'.repeat(3_000_000))]
const paths = ['/plain/', '/collected/', '/written/', '/control/', '/recorded/', '/echo/', '/nowhere/']

let scene: PipelineScene

before(async () => {
  const fields = { timeout: 2_000, input_fields_include: [] }
  const written = { ...fields, modifier: true, output_fields_write: ['egress_payload'] }
  const added = { ...fields, output_fields_write: ['control', 'control_status_code'] }
  scene = await startPipelineScene(
    [
      { path: '/plain/' },
      { path: '/collected/', response: [[{ name: 'reader', ...fields }]] },
      {
        path: '/written/',
        response: [[{ name: 'writer', ...written, reply: () => ({ egress_payload: { a: LARGE } }) }]],
      },
      { path: '/control/', request: [[{ name: 'control', ...added, reply: () => ({ control: { b: LARGE } }) }]] },
      { path: '/recorded/', request: [[{ name: 'late', ...fields, async: true }]] },
    ],
    { admin: true, config: { limits: { request_bytes: 2_500_000, response_bytes: 800_000 } } },
  )
  scene.llm.respond(() => oneOf(answers)())
})
after(() => scene.close())

/** Makes a call whose caller may leave at any time, even before its body is sent. */
async function call(): Promise<void> {
  const signal = randomBelow(3) === 0 ? AbortSignal.timeout(randomBelow(MOST_MS)) : undefined
  const headers = { 'Content-Type': 'application/json' }
  const init = { method: 'POST', headers, body: oneOf(bodies), ...(signal && { signal }) }
  try {
    const answer = await fetch(scene.gateway.url + oneOf(paths), init)
    if (randomBelow(4) > 0) await answer.arrayBuffer()
    else await answer.body?.cancel()
  } catch {
    // The caller left, or the LLM API broke off its answer.
  }
}

test(`after ${CALLS} calls that end in every way the memory account is empty (SEED=${seed})`, async () => {
  for (let done = 0; done < CALLS; done += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, call))
  let held = Number.NaN
  for (const end = performance.now() + 30_000; performance.now() < end; await sleep(50)) {
    const running = await readMetric(scene.gateway, 'llm_gateway_inflight_requests')
    held = await readMetric(scene.gateway, 'llm_gateway_buffered_bytes')
    if (running === 0 && held === 0) break
  }
  assert.equal(held, 0)
  assert.deepEqual(
    scene.gateway.logs.entries.filter(
      ({ msg }) => msg === 'transaction failed' || msg === 'uncaught error; the gateway ends',
    ),
    [],
  )
})
