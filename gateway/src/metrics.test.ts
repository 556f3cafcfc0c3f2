import assert from 'node:assert/strict'
import fs from 'node:fs'
import { test } from 'node:test'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import { createMetrics } from './metrics.ts'
import { watchTasks } from './work/tasks-under-test.ts'
import { WorkQueue } from './work/work-queue.ts'

// Rules: docs/reference/metrics.md#gateway

const ended = { router: '/echo/', status: 200, errorType: '', seconds: 0.02, overheadSeconds: undefined }

type Scrape = { readonly types: ReadonlyMap<string, string>; readonly samples: ReadonlyMap<string, number> }

/**
 * Parses the exposition format as strictly as promtool: HELP and TYPE before the samples, each family in one piece, no
 * series twice.
 */
function parse(pieces: readonly Buffer[]): Scrape {
  const text = Buffer.concat(pieces).toString()
  const types = new Map<string, string>()
  const samples = new Map<string, number>()
  let family = ''
  assert.ok(text.endsWith('\n'))
  for (const line of text.split('\n').filter((text) => text !== '')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) ([a-z_A-Z0-9]+) (.+)$/.exec(line) ?? []
    if (keyword === 'HELP') {
      assert.ok(!types.has(name), `${name} comes twice`)
      family = name
    } else if (keyword === 'TYPE') {
      assert.equal(name, family)
      types.set(name, rest)
    } else {
      const [, series = '', metric = '', value = ''] =
        /^(([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(?:[a-z_A-Z][a-zA-Z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*"(?:,(?!\})|(?=\})))+\})?) ([0-9.e+-]+|\+Inf|Nan)$/.exec(
          line,
        ) ?? []
      assert.notEqual(series, '', `not a sample: ${line}`)
      assert.equal(metric.replace(types.get(family) === 'histogram' ? /_(bucket|sum|count)$/ : '', ''), family)
      assert.ok(!samples.has(series), `${series} comes twice`)
      samples.set(series, Number(value))
    }
  }
  return { types, samples }
}

/** Asserts that the buckets of each histogram grow and end in +Inf, which equals the count. */
function assertHistograms({ samples }: Scrape): void {
  let last = 0
  for (const [series, value] of samples) {
    if (!series.includes('_bucket{')) {
      last = 0
      continue
    }
    assert.ok(value >= last, series)
    last = value
    if (!series.includes('le="+Inf"')) continue
    assert.equal(
      samples.get(
        series
          .replace('_bucket{', '_count{')
          .replace(/,?le="\+Inf"/, '')
          .replace('{}', ''),
      ),
      value,
    )
    last = 0
  }
}

const NAMES: readonly (readonly [name: string, type: string, series: string])[] = [
  ['llm_gateway_requests_total', 'counter', 'llm_gateway_requests_total{router="/echo/",status="200",error_type=""}'],
  ['llm_gateway_request_seconds', 'histogram', 'llm_gateway_request_seconds_count{router="/echo/"}'],
  ['llm_gateway_overhead_seconds', 'histogram', 'llm_gateway_overhead_seconds_count{router="/a/"}'],
  [
    'llm_gateway_processor_seconds',
    'histogram',
    'llm_gateway_processor_seconds_count{processor="mock",outcome="failed"}',
  ],
  ['llm_gateway_records_total', 'counter', 'llm_gateway_records_total{result="published",reason=""}'],
  ['llm_gateway_records_total', 'counter', 'llm_gateway_records_total{result="lost",reason="queue_full"}'],
  ['llm_gateway_record_queue_bytes', 'gauge', 'llm_gateway_record_queue_bytes'],
  ['llm_gateway_config_info', 'gauge', 'llm_gateway_config_info{digest="sha256:00"}'],
  ['llm_gateway_config_live_timestamp_seconds', 'gauge', 'llm_gateway_config_live_timestamp_seconds'],
  ['llm_gateway_reload_failed', 'gauge', 'llm_gateway_reload_failed'],
  ['llm_gateway_record_queue_limit_bytes', 'gauge', 'llm_gateway_record_queue_limit_bytes'],
  ['llm_gateway_buffered_limit_bytes', 'gauge', 'llm_gateway_buffered_limit_bytes'],
  ['llm_gateway_reloads_total', 'counter', 'llm_gateway_reloads_total{result="waiting"}'],
  ['llm_gateway_routers', 'gauge', 'llm_gateway_routers{state="rejected"}'],
  ['llm_gateway_bus_connected', 'gauge', 'llm_gateway_bus_connected'],
  ['llm_gateway_inflight_requests', 'gauge', 'llm_gateway_inflight_requests'],
  ['gen_ai_client_token_usage', 'histogram', 'gen_ai_client_token_usage_count{router="/a/",gen_ai_token_type="input"}'],
  [
    'gen_ai_client_token_usage',
    'histogram',
    'gen_ai_client_token_usage_count{router="/a/",gen_ai_token_type="output"}',
  ],
  ['gen_ai_server_request_duration', 'histogram', 'gen_ai_server_request_duration_count{router="/a/"}'],
  ['gen_ai_server_time_to_first_token', 'histogram', 'gen_ai_server_time_to_first_token_count{router="/a/"}'],
  ['process_cpu_user_seconds_total', 'counter', 'process_cpu_user_seconds_total'],
  ['nodejs_eventloop_lag_seconds', 'gauge', 'nodejs_eventloop_lag_seconds'],
]

test('every metric is exposed with its type and labels, in valid exposition format', async () => {
  const metrics = createMetrics()
  metrics.requestEnded(ended)
  metrics.requestEnded({
    router: '/a/',
    status: 502,
    errorType: 'provider_connect',
    seconds: 700,
    overheadSeconds: 0.001,
  })
  metrics.processorCalled({ processor: 'mock', outcome: 'failed', seconds: 0.01 })
  metrics.upstreamAnswered({ router: '/a/', seconds: 3, secondsToFirstToken: 0.3 })
  metrics.tokensUsed({ router: '/a/', type: 'input', tokens: 7 })
  metrics.tokensUsed({ router: '/a/', type: 'output', tokens: 1e9 })
  metrics.configLive('sha256:00', { active: 2, rejected: 1, disabled: 0, internal: 0 })
  const scrape = parse(await metrics.render())
  assertHistograms(scrape)
  for (const [name, type, series] of NAMES) {
    assert.equal(scrape.types.get(name), type, name)
    assert.ok(scrape.samples.has(series), series)
  }
})

test('the exposition shows the counted values', async () => {
  const metrics = createMetrics()
  for (const status of [200, 200, 429]) metrics.requestEnded({ ...ended, status })
  metrics.recordsPublished(3)
  metrics.recordsLost(2, 'exit')
  metrics.reloaded('ok')
  metrics.gauges({
    queueBytes: () => 17,
    queueLimitBytes: 170,
    heldBytes: () => 23,
    heldLimitBytes: 230,
    reloadFailed: () => true,
    busConnected: () => true,
    inflight: () => 4,
    acknowledged: () => 5,
    spooledBytes: () => 6,
    oldestSpooledSeconds: () => 7.5,
  })
  const { samples } = parse(await metrics.render())
  assert.equal(samples.get('llm_gateway_requests_total{router="/echo/",status="200",error_type=""}'), 2)
  assert.equal(samples.get('llm_gateway_requests_total{router="/echo/",status="429",error_type=""}'), 1)
  assert.equal(samples.get('llm_gateway_request_seconds_bucket{router="/echo/",le="0.01"}'), 0)
  assert.equal(samples.get('llm_gateway_request_seconds_bucket{router="/echo/",le="0.025"}'), 3)
  assert.equal(samples.get('llm_gateway_request_seconds_bucket{router="/echo/",le="600"}'), 3)
  assert.equal(samples.get('llm_gateway_records_total{result="published",reason=""}'), 3)
  assert.equal(samples.get('llm_gateway_records_total{result="lost",reason="exit"}'), 2)
  assert.equal(samples.get('llm_gateway_reloads_total{result="ok"}'), 1)
  assert.equal(samples.get('llm_gateway_record_queue_bytes'), 17)
  assert.equal(samples.get('llm_gateway_records_acknowledged_total'), 5)
  assert.equal(samples.get('llm_gateway_records_spooled_bytes'), 6)
  assert.equal(samples.get('llm_gateway_records_oldest_spooled_seconds'), 7.5)
  assert.equal(samples.get('llm_gateway_bus_connected'), 1)
  assert.equal(samples.get('llm_gateway_inflight_requests'), 4)
})

test('a value equal to a bound counts in its bucket, and NaN isn’t counted', async () => {
  const metrics = createMetrics()
  for (const seconds of [0.005, 0.25, -1, Number.NaN, Number.POSITIVE_INFINITY])
    metrics.requestEnded({ ...ended, seconds })
  const { samples } = parse(await metrics.render())
  assert.equal(samples.get('llm_gateway_request_seconds_bucket{router="/echo/",le="0.005"}'), 2)
  assert.equal(samples.get('llm_gateway_request_seconds_count{router="/echo/"}'), 3)
  assert.equal(samples.get('llm_gateway_request_seconds_sum{router="/echo/"}'), 0.255)
})

test('label values are escaped', async () => {
  const metrics = createMetrics()
  metrics.requestEnded({ ...ended, router: '/a"\\\n/' })
  const { samples } = parse(await metrics.render())
  assert.equal(samples.get('llm_gateway_requests_total{router="/a\\"\\\\\\n/",status="200",error_type=""}'), 1)
})

test('a reload drops the routers that left and lets the others count on', async () => {
  const metrics = createMetrics()
  for (const router of ['/a/', '/b/', 'none']) metrics.requestEnded({ ...ended, router })
  const names = { routers: ['/a/', '/c/'], processors: [] }
  metrics.configLive('sha256:01', { active: 1, rejected: 0, disabled: 0, internal: 0 }, names)
  for (const router of ['/a/', 'none']) metrics.requestEnded({ ...ended, router })
  const { samples } = parse(await metrics.render())
  assert.equal(samples.get('llm_gateway_requests_total{router="/a/",status="200",error_type=""}'), 2)
  assert.equal(samples.get('llm_gateway_requests_total{router="none",status="200",error_type=""}'), 2)
  assert.ok(![...samples.keys()].some((series) => series.includes('/b/')))
  assert.ok(!samples.has('llm_gateway_config_info{digest="sha256:00"}'))
})

test('a reload drops the processors that left, so that new ones get series of their own', async () => {
  const metrics = createMetrics()
  const counts = { active: 0, rejected: 0, disabled: 0, internal: 0 }
  for (let i = 0; i < 1_005; i++) {
    metrics.configLive('sha256:01', counts, { routers: [], processors: ['stays', `p${i}`] })
    for (const processor of ['stays', `p${i}`]) metrics.processorCalled({ processor, outcome: 'nothing', seconds: 0 })
  }
  const { samples } = parse(await metrics.render())
  const calls = (processor: string) =>
    samples.get(`llm_gateway_processor_seconds_count{processor="${processor}",outcome="nothing"}`)
  assert.deepEqual([calls('stays'), calls('p1004'), calls('p1003'), calls('other')], [1_005, 1, undefined, undefined])
})

test('labels are bounded: routers beyond 20,000, processors beyond 1,000 and outcomes beyond 100 count as "other"', async () => {
  const metrics = createMetrics()
  for (let i = 0; i < 1_005; i++) metrics.processorCalled({ processor: `p${i}`, outcome: 'nothing', seconds: 0 })
  for (let status = 100; status < 210; status++) metrics.requestEnded({ ...ended, status })
  for (let i = 1; i < 20_003; i++) metrics.tokensUsed({ router: `/${i}/`, type: 'input', tokens: 1 })
  const { samples } = parse(await metrics.render())
  assert.equal(samples.get('gen_ai_client_token_usage_count{router="other",gen_ai_token_type="input"}'), 3)
  assert.equal(samples.get('llm_gateway_requests_total{router="/echo/",status="other",error_type="other"}'), 10)
  assert.equal(samples.get('llm_gateway_processor_seconds_count{processor="other",outcome="nothing"}'), 5)
})

test('in a scrape of 10,000 busy routers no task takes 50 ms of CPU time, and no piece of the text is large', async () => {
  const metrics = createMetrics()
  for (let i = 0; i < 10_000; i++) {
    const router = `/team-${i}/chat/`
    metrics.requestEnded({ ...ended, router, overheadSeconds: 0.1 })
    metrics.upstreamAnswered({ router, seconds: 1, secondsToFirstToken: 0.1 })
    for (const type of ['input', 'output'] as const) metrics.tokensUsed({ router, type, tokens: 5 })
  }
  await assertShortTurns(50, async () => {
    using longest = watchTasks()
    const pieces = await metrics.render()
    await new Promise((resolve) => setImmediate(resolve))
    assert.ok(pieces.length > 100)
    assert.ok(pieces.every((piece) => piece.length < 128 * 1024))
    return longest.ms
  })
})

test('a scrape counts open files without a walk over all connections on the main thread', async (t) => {
  const { calls } = t.mock.method(fs, 'readdirSync').mock
  const { samples } = parse(await createMetrics().render())
  assert.ok((samples.get('process_open_fds') ?? 0) > 0)
  assert.deepEqual(
    [...samples.keys()].filter((name) => name.startsWith('nodejs_active_')),
    [],
  )
  assert.equal(calls.length, 0)
})

test('a scrape shows the last number of open files where the system does not tell the current one', async () => {
  const answers: PromiseWithResolvers<number>[] = []
  const metrics = createMetrics(new WorkQueue(), () => {
    const answer = Promise.withResolvers<number>()
    answers.push(answer)
    return answer.promise
  })
  const shown = async (): Promise<number | undefined> => parse(await metrics.render()).samples.get('process_open_fds')
  assert.equal(await shown(), undefined)
  answers[0]?.resolve(7)
  await answers[0]?.promise
  // Each scrape beside a question without an answer would hold a further thread.
  assert.deepEqual([await shown(), await shown(), answers.length], [7, 7, 2])
  answers[1]?.reject(new Error('no folder'))
  await answers[1]?.promise.catch(() => undefined)
  const next = shown()
  while (answers.length < 3) await new Promise((resolve) => setImmediate(resolve))
  answers[2]?.resolve(8)
  assert.equal(await next, 8)
})
