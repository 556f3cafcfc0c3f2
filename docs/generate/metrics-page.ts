import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { anchored, page, plain, sentence, table } from './markdown.ts'

const ROOT = join(import.meta.dirname, '../..')

export type Metric = { readonly name: string; readonly help: string; readonly file: string }

const NAME =
  'llm_[a-z_]+|gen_ai_[a-z_]+|controller_runtime_[a-z_]+|workqueue_[a-z_]+|rest_client_[a-z_]+|leader_election_[a-z_]+'
/** The form of all definitions of metrics: `name: 'a', help: 'b'`, or the two as arguments. */
const DEFINITION = new RegExp(
  `(?:name: |\\(\\s*|, )'(${NAME})',\\s*(?:help:\\s*)?(?:'((?:[^'\\\\]|\\\\.)*)'|"([^"]*)")`,
  'g',
)
const SINK_ROW = /\['([a-z_]+)', '(?:counter|gauge)', '([^']*)'/g

const PROGRAMS = [
  [
    'Gateway',
    'The gateway shows these metrics at its admin port. The label `router` is the path of a configured router or `none`. Routers beyond 20,000, processors beyond 1,000, and outcomes of a router beyond 100 count as `other`.',
    'gateway/',
  ],
  ['Operator', 'The operator shows these metrics at its port, 8080.', 'operator/'],
  ['Every processor', 'Each processor shows these metrics at `PROCESSOR_PORT`.', 'processors/sdk/'],
  ['Broker', '', 'processors/broker/'],
  ['Content filter', '', 'processors/content-filter/'],
  ['Mock', '', 'processors/mock/'],
  ['Tokenizer', '', 'processors/tokenizer/'],
  ['Token counter', '', 'processors/token-counter/'],
  ['Sinks', 'A sink shows these metrics at its `admin_port`.', 'processors/nats2log/'],
  [
    'Bus',
    'The exporter, a program beside the bus, shows these metrics. It runs only in Kubernetes.',
    'processors/bus-exporter/',
  ],
] as const

/** Writes the page of all metrics of our programs, without the Node metrics of prom-client. */
export function metricsPage(): string {
  const metrics = definedMetrics()
  const parts = PROGRAMS.flatMap(([title, about, folder]) => {
    const own = metrics.filter(({ file }) => file.startsWith(folder))
    const rows = own.map(({ name, help }) => [anchored(name), plain(sentence(help)), plain(LABELS[name] ?? '')])
    return own.length === 0 ? [] : [`## ${title}`, about, table(['Metric', 'Meaning', 'Labels'], rows)]
  })
  return page('Metrics', [
    'The programs show metrics in the Prometheus text format. Gateway, operator and processors also show the `process_…` and `nodejs_…` metrics of their process. The gateway leaves out `nodejs_active_…`, since counting all connections at each scrape would hold up calls. A histogram has the series `_bucket`, `_sum` and `_count`.',
    'The chart contains dashboards and alerts that use these names. Each alert has a runbook in `docs/runbooks`.',
    ...parts,
  ])
}

export function definedMetrics(): readonly Metric[] {
  const found = sources().flatMap(({ file, text }) => [
    ...[...text.matchAll(DEFINITION)].map(([, name = '', single, double]) => ({
      name,
      help: single ?? double ?? '',
      file,
    })),
    ...(file.endsWith('/run-sink.ts')
      ? [...text.matchAll(SINK_ROW)].map(([, name, help = '']) => ({ name: `llm_gateway_sink_${name}`, help, file }))
      : []),
  ])
  return [...new Map(found.map((metric) => [metric.name, metric])).values()]
}

/** Returns the names of metrics that occur in the programs outside definitions. */
export function namedMetrics(): ReadonlySet<string> {
  return new Set(
    sources().flatMap(({ text }) => [...text.matchAll(new RegExp(`'(${NAME})'`, 'g'))].map(([, name = '']) => name)),
  )
}

function sources(): readonly { readonly file: string; readonly text: string }[] {
  const files = globSync('{gateway,operator,processors}/**/src/**/*.ts', {
    cwd: ROOT,
    exclude: (path) => /node_modules|^gateway\/gui/.test(String(path)),
  })
  return files
    .map(String)
    .filter((file) => !/\.test\.ts$|-under-test\.ts$|\/fixture\/|node_modules|^gateway\/gui\//.test(file))
    .sort()
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))
}

export const LABELS: Readonly<Record<string, string>> = {
  llm_gateway_requests_total: '`router`, `status`, `error_type`',
  llm_gateway_request_seconds: '`router`',
  llm_gateway_overhead_seconds: '`router`',
  llm_gateway_processor_seconds: '`processor`, `outcome`: completed, nothing, failed',
  llm_gateway_records_total: '`result`: published, lost; `reason`',
  llm_gateway_reloads_total: '`result`: ok, failed, waiting',
  llm_gateway_config_info: '`digest`',
  llm_gateway_routers: '`state`: active, rejected, disabled, internal',
  gen_ai_client_token_usage: '`router`, `gen_ai_token_type`: input, output',
  gen_ai_server_request_duration: '`router`',
  gen_ai_server_time_to_first_token: '`router`',
  controller_runtime_reconcile_total: '`controller`, `result`',
  controller_runtime_reconcile_errors_total: '`controller`',
  controller_runtime_reconcile_time_seconds: '`controller`',
  controller_runtime_active_workers: '`controller`',
  controller_runtime_max_concurrent_reconciles: '`controller`',
  rest_client_requests_total: '`method`, `host`, `code`',
  workqueue_adds_total: '`name`',
  workqueue_retries_total: '`name`',
  workqueue_queue_duration_seconds: '`name`',
  workqueue_work_duration_seconds: '`name`',
  workqueue_depth: '`name`',
  workqueue_unfinished_work_seconds: '`name`',
  workqueue_longest_running_processor_seconds: '`name`',
  leader_election_master_status: '`name`',
  llm_gateway_operator_admission_policies: '`state`: hold, missing, unknown',
  llm_gateway_operator_resources: '`kind`, `state`',
  llm_gateway_operator_namespace_forbidden: '`namespace`',
  llm_processor_messages_total: '`processor`, `outcome`',
  llm_processor_seconds: '`processor`',
  llm_processor_background_failures_total: '`processor`',
  llm_processor_info: '`processor`, `version`',
  llm_processor_inflight_messages: '`processor`',
  llm_processor_waiting_messages: '`processor`',
  llm_processor_waiting_bytes: '`processor`',
  llm_processor_overloaded: '`processor`',
  llm_processor_bus_connected: '`processor`',
  llm_broker_member_enabled: '`pool`, `member`',
  llm_broker_chosen_total: '`pool`, `member`',
  llm_broker_failures_total: '`member`, `reason`',
  llm_content_filter_requests_total: '`verdict`: toxic, clean',
  llm_content_filter_over_threshold_total: '`category`',
  llm_mock_recordings_total: '`outcome`',
  llm_gateway_sink_delivered_total: '`sink`',
  llm_gateway_sink_refused_total: '`sink`',
  llm_gateway_sink_overtaken_total: '`sink`',
  llm_gateway_sink_behind_records: '`sink`',
  llm_gateway_sink_behind_seconds: '`sink`',
  llm_bus_messages_total: '`direction`: in, out',
  llm_bus_bytes_total: '`direction`: in, out',
  llm_bus_store_bytes: '`store`: file, memory',
  llm_bus_store_limit_bytes: '`store`: file, memory',
  llm_bus_stream_messages: '`stream`',
  llm_bus_stream_bytes: '`stream`',
  llm_bus_consumer_waiting_messages: '`stream`, `consumer`',
  llm_bus_consumer_unacknowledged_messages: '`stream`, `consumer`',
}
