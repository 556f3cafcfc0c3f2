import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import { heapBytes } from '../fixture/heap-bytes.ts'
import { watchTurns } from '../fixture/watch-turns.ts'
import { ChartRecorder } from './chart-recorder.ts'
import { fetchSamples } from './gateway-client.ts'
import { sampleReader } from './metrics-text.ts'
import { COUNTED_METRICS } from './router-counts.ts'

const STEP_MS = 10_000
const ROUTERS = 5_000
/** Longest turn of the main thread, in CPU time. */
const LONGEST_TURN_MS = 50
const MOST_HOUR_BYTES = 20 * 1024 * 1024

/** Returns the metrics of a router with `requests` that took 5 to 10 ms each. */
function linesOf(router: string, requests: number): string {
  const buckets = [0.005, 0.01, '+Inf'].map(
    (le, index) => `llm_gateway_request_seconds_bucket{router="${router}",le="${le}"} ${index === 0 ? 0 : requests}`,
  )
  return [`llm_gateway_requests_total{router="${router}",status="200",error_type=""} ${requests}`, ...buckets, ''].join(
    '\n',
  )
}

/** Returns the charts of moments given as texts; undefined means that the gateway doesn't answer. */
async function chartsOf(texts: readonly (string | undefined)[], pieceLength = 7) {
  const recorder = new ChartRecorder()
  for (const [index, text] of texts.entries())
    await recorder.look(
      () => index * STEP_MS,
      async (take) => {
        const reader = sampleReader(COUNTED_METRICS, take)
        for (let from = 0; from < (text?.length ?? 0); from += pieceLength)
          reader.push(text?.slice(from, from + pieceLength) ?? '')
        reader.end()
        return text !== undefined
      },
    )
  return recorder.charts(60, texts.length * STEP_MS)
}

test('rates and quantiles belong to one step each, and steps without the gateway or with its restart have no values', async () => {
  const texts = [
    linesOf('/a/', 10),
    linesOf('/a/', 30),
    undefined,
    linesOf('/a/', 50),
    linesOf('/a/', 5),
    linesOf('/a/', 5),
  ]
  for (const pieceLength of [1, 7, 10_000]) {
    const { times, routers } = await chartsOf(texts, pieceLength)
    assert.deepEqual(
      times,
      [1, 2, 3, 4, 5].map((step) => step * STEP_MS),
    )
    assert.deepEqual(
      routers.map(({ router }) => router),
      ['*', '/a/'],
    )
    for (const { requests_per_second: rate, latency_ms: latency } of routers) {
      assert.deepEqual(rate, [2, null, null, null, 0])
      assert.deepEqual(latency, { p50: [7.5, null, null, null, null], p95: [9.75, null, null, null, null] })
    }
  }
})

test('a router that joins the busiest 50 starts with the calls of that step, not with its total', async () => {
  const others = Array.from({ length: 60 }, (_, index) => linesOf(`/r${index}/`, 1_000 + index)).join('')
  const late = (requests: number) => others + linesOf('/late/', requests)
  const { routers } = await chartsOf([late(900), late(990), late(2_000)], 10_000)
  assert.equal(routers.length, 51)
  const chart = routers.find(({ router }) => router === '/late/')
  assert.deepEqual(chart?.requests_per_second, [null, 101])
  assert.deepEqual(routers[0]?.requests_per_second, [9, 101])
})

test(`metrics of ${ROUTERS} routers are read in short turns`, async (t) => {
  const text = Array.from({ length: ROUTERS }, (_, index) =>
    linesOf(`/a-router-of-team-${index}/`, index).repeat(4),
  ).join('')
  const { server, url } = await serve(text)
  t.after(() => server.terminate())
  await assertShortTurns(LONGEST_TURN_MS, async () => {
    const recorder = new ChartRecorder()
    let seen = 0
    using turns = watchTurns()
    await recorder.look(
      () => 0,
      async (take) => {
        const countSample = (sample: Parameters<typeof take>[0]): void => {
          seen += 1
          take(sample)
        }
        return await fetchSamples({ url, names: COUNTED_METRICS, take: countSample })
      },
    )
    assert.equal(seen, ROUTERS * 4 * 4)
    return turns.longestMs
  })
})

test('an hour of the busiest 50 routers with all their histograms fits into 20 MiB', async () => {
  const recorder = new ChartRecorder()
  const names = [...COUNTED_METRICS].filter((name) => name.endsWith('_bucket'))
  const routers = Array.from({ length: 60 }, (_, index) => `/r${index}/`)
  const bounds = Array.from({ length: 17 }, (_, index) => String(index / 100))
  const before = heapBytes()
  for (let moment = 0; moment < 361; moment += 1)
    await recorder.look(
      () => moment * STEP_MS,
      async (take) => {
        const value = moment * 10.5
        for (const router of routers) {
          take({ name: 'llm_gateway_requests_total', labels: new Map([['router', router]]), value })
          for (const name of names)
            for (const le of bounds) take({ name, labels: new Map(Object.entries({ router, le })), value })
        }
        return true
      },
    )
  const held = heapBytes() - before
  assert.ok(held < MOST_HOUR_BYTES, `${held} bytes`)
  assert.equal(recorder.charts(60, 361 * STEP_MS).times.length, 360)
})

test('an hour of charts keeps none of the text from which the names of the routers come', async () => {
  const recorder = new ChartRecorder()
  // Names of this length are views of the text that they are cut from.
  const names = Array.from({ length: 5 }, (_, index) => `/a-router-of-team-${index}/`)
  const before = heapBytes()
  for (let moment = 0; moment < 361; moment += 1)
    await recorder.look(
      () => moment * STEP_MS,
      async (take) => {
        const reader = sampleReader(COUNTED_METRICS, take)
        for (const name of names)
          reader.push(Buffer.from(`# ${'x'.repeat(60_000)}\n${linesOf(name, moment + 1)}`).toString('latin1'))
        reader.end()
        return true
      },
    )
  const held = heapBytes() - before
  assert.ok(held < MOST_HOUR_BYTES, `${held} bytes`)
  assert.equal(recorder.charts(60, 361 * STEP_MS).routers.length, 6)
})

test('an hour in which the gateway answers now and then has each name of a router once', async () => {
  const recorder = new ChartRecorder()
  const names = Array.from({ length: 50 }, (_, index) => `/${'r'.repeat(1_000)}-${index}/`)
  const before = heapBytes()
  for (let moment = 0; moment < 361; moment += 1)
    await recorder.look(
      () => moment * STEP_MS,
      async (take) => {
        for (const name of names)
          take({ name: 'llm_gateway_requests_total', labels: new Map([['router', name]]), value: moment + 1 })
        return moment % 2 === 0
      },
    )
  const held = heapBytes() - before
  assert.ok(held < 4 * 1024 * 1024, `${held} bytes`)
  assert.equal(recorder.charts(60, 361 * STEP_MS).routers.length, 51)
})

/** Serves from a thread, because a server in the main thread would take turns there too. */
async function serve(text: string): Promise<{ readonly server: Worker; readonly url: string }> {
  const code = `
    const { parentPort, workerData } = require('node:worker_threads')
    const server = require('node:http').createServer((_, answer) => answer.end(workerData))
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`
  const server = new Worker(code, { eval: true, workerData: text })
  const port = await new Promise((resolve) => server.once('message', resolve))
  return { server, url: `http://127.0.0.1:${port}/metrics` }
}
