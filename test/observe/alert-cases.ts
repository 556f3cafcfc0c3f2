/** The series that Prometheus gets while a fault begins and ends, with a point every 30 s. */
export type AlertCase = {
  readonly alert: string
  /** The test's name, which follows the alert's name. */
  readonly title: string
  /** Points of each series in promtool's notation: `0+5x20` begins at 0 and grows by 5 twenty times. */
  readonly series: Readonly<Record<string, string>>
  /** Times before, during and after the alert. No other alert of the same name fires then. */
  readonly quietAt: string
  readonly firesAt: string
  readonly resolvedAt: string
  /** Labels of the alert, without `severity`. */
  readonly labels: Readonly<Record<string, string>>
  readonly summary: string
}

const GATEWAY = 'namespace="llm",gateway="main"'
const POD = `${GATEWAY},pod="main-0"`
const OTHER_POD = `${GATEWAY},pod="main-1"`
const MAIN = { namespace: 'llm', gateway: 'main' }
const MIB = 1024 * 1024

/** Returns the series of a router's requests by status and error type. */
function requests(router: string, status: number, errorType: string): string {
  return `llm_gateway_requests_total{${GATEWAY},router="${router}",status="${status}",error_type="${errorType}"}`
}

export const ALERT_CASES: readonly AlertCase[] = [
  {
    alert: 'LLMGatewayFailsCalls',
    title: 'fires while 5 % of the calls end with 503; mistakes of callers do not count',
    series: {
      [requests('/a/', 200, '')]: '0+95x120',
      [requests('/a/', 401, 'caller_unauthorized')]: '0+95x120',
      [requests('/a/', 503, 'gateway_overloaded')]: '0x40 0+10x40 400x40',
    },
    quietAt: '20m',
    firesAt: '35m',
    resolvedAt: '55m',
    labels: MAIN,
    summary: 'Gateway llm/main fails 5% of its calls.',
  },
  {
    alert: 'LLMGatewayRouterFails',
    title: 'fires for the router whose LLM API is away, not for its neighbour nor for one failed call in a quiet hour',
    series: {
      [requests('/good/', 200, '')]: '0+50x240',
      [requests('/bad/', 200, '')]: '0+10x40 400x80 400+10x120',
      [requests('/bad/', 502, 'provider_connect')]: '0x40 0+10x80 800x120',
      [requests('/quiet/', 504, 'provider_timeout')]: '0x60 1x180',
    },
    quietAt: '20m',
    firesAt: '50m',
    resolvedAt: '90m',
    labels: { ...MAIN, router: '/bad/' },
    summary: 'Router /bad/ of llm/main fails 100% of its calls.',
  },
  {
    alert: 'LLMGatewayOverheadHigh',
    title: 'fires while calls spend a second in processors',
    series: {
      [`llm_gateway_overhead_seconds_bucket{${POD},router="/a/",le="0.5"}`]: '0+50x40 2000x80 2000+50x120',
      [`llm_gateway_overhead_seconds_bucket{${POD},router="/a/",le="1"}`]: '0+50x240',
      [`llm_gateway_overhead_seconds_bucket{${POD},router="/a/",le="+Inf"}`]: '0+50x240',
      [`llm_gateway_overhead_seconds_count{${POD},router="/a/"}`]: '0+50x240',
    },
    quietAt: '19m',
    firesAt: '50m',
    resolvedAt: '110m',
    labels: MAIN,
    summary: 'Gateway llm/main and its processors add 975ms to calls.',
  },
  {
    alert: 'LLMGatewayRequiredProcessorFails',
    title: 'fires for the router whose processor is away',
    series: {
      [requests('/a/', 200, '')]: '0+50x120',
      [requests('/b/', 503, 'policy_unavailable')]: '0x40 0+1x40 40x40',
    },
    quietAt: '20m',
    firesAt: '30m',
    resolvedAt: '50m',
    labels: { ...MAIN, router: '/b/' },
    summary: 'A required processor gives router /b/ of llm/main no answer.',
  },
  {
    alert: 'LLMGatewayProcessorFails',
    title: 'fires for the processor that fails, not for the others',
    series: {
      [`llm_gateway_processor_seconds_count{${POD},processor="tokenizer",outcome="completed"}`]: '0+50x240',
      [`llm_gateway_processor_seconds_count{${POD},processor="filter",outcome="completed"}`]: '0+50x240',
      [`llm_gateway_processor_seconds_count{${POD},processor="filter",outcome="failed"}`]: '0x40 0+50x80 4000x120',
    },
    quietAt: '20m',
    firesAt: '45m',
    resolvedAt: '90m',
    labels: { ...MAIN, processor: 'filter' },
    summary: 'Processor filter fails 50% of the calls of llm/main.',
  },
  {
    alert: 'LLMGatewayMemoryNearBound',
    title: 'fires for the pod that is near its bound',
    series: {
      [`process_resident_memory_bytes{${POD}}`]: `${300 * MIB}x40 ${486 * MIB}x40 ${300 * MIB}x40`,
      [`process_resident_memory_bytes{${OTHER_POD}}`]: `${300 * MIB}x120`,
      [`llm_gateway_buffered_limit_bytes{${POD}}`]: `${128 * MIB}x120`,
      [`llm_gateway_buffered_limit_bytes{${OTHER_POD}}`]: `${128 * MIB}x120`,
    },
    quietAt: '20m',
    firesAt: '35m',
    resolvedAt: '50m',
    labels: { ...MAIN, pod: 'main-0' },
    summary: 'Pod main-0 of gateway llm/main uses 94.92% of its memory bound.',
  },
  {
    alert: 'LLMGatewayRecordsLost',
    title: 'fires at the first lost record',
    series: {
      [`llm_gateway_records_total{${POD},result="lost",reason="queue_full"}`]: '0x20 1x100',
      [`llm_gateway_records_total{${POD},result="lost",reason="exit"}`]: '0x120',
      [`llm_gateway_records_total{${POD},result="published",reason=""}`]: '0+100x120',
    },
    quietAt: '9m',
    firesAt: '12m',
    resolvedAt: '25m',
    labels: { ...MAIN, reason: 'queue_full' },
    summary: 'Gateway llm/main lost records of calls (queue_full).',
  },
  {
    alert: 'LLMGatewayRecordQueueFills',
    title: 'fires for the pod whose queue is four fifths full',
    series: {
      [`llm_gateway_record_queue_bytes{${POD}}`]: '0x20 80x20 0x20',
      [`llm_gateway_record_queue_limit_bytes{${POD}}`]: '100x60',
      [`llm_gateway_record_queue_bytes{${OTHER_POD}}`]: '10x60',
      [`llm_gateway_record_queue_limit_bytes{${OTHER_POD}}`]: '100x60',
    },
    quietAt: '10m',
    firesAt: '15m',
    resolvedAt: '22m',
    labels: { ...MAIN, pod: 'main-0' },
    summary: 'The record queue of pod main-0 of llm/main is 80% full.',
  },
  {
    alert: 'LLMGatewayBusAway',
    title: 'fires while pods are without the bus, not for a moment without it',
    series: {
      [`llm_gateway_bus_connected{${POD}}`]: '1x10 0 1x10 0x20 1x20',
      [`llm_gateway_bus_connected{${OTHER_POD}}`]: '1x22 0x20 1x20',
    },
    quietAt: '5m30s',
    firesAt: '17m',
    resolvedAt: '25m',
    labels: MAIN,
    summary: '2 pods of gateway llm/main have no connection to the bus.',
  },
  {
    alert: 'LLMGatewayFileUnusable',
    title: 'fires while a pod can’t use its file',
    series: {
      [`llm_gateway_reload_failed{${POD}}`]: '0x20 1x20 0x20',
      [`llm_gateway_reload_failed{${OTHER_POD}}`]: '0x60',
    },
    quietAt: '10m',
    firesAt: '15m',
    resolvedAt: '22m',
    labels: MAIN,
    summary: '1 pods of gateway llm/main can’t use their configuration file.',
  },
  {
    alert: 'LLMGatewayPodBehind',
    title: 'fires for the pod that kept the old digest, and for no pod while an edit is on its way',
    series: {
      [`llm_gateway_config_info{${POD},digest="old"}`]: '1x20 stale _x60',
      [`llm_gateway_config_info{${POD},digest="new"}`]: '_x21 1x60',
      [`llm_gateway_config_live_timestamp_seconds{${POD}}`]: '10x20 600x60',
      [`llm_gateway_config_info{${OTHER_POD},digest="old"}`]: '1x50 stale _x30',
      [`llm_gateway_config_info{${OTHER_POD},digest="new"}`]: '_x51 1x30',
      [`llm_gateway_config_live_timestamp_seconds{${OTHER_POD}}`]: '10x50 1500x30',
      // Another gateway has a configuration of its own.
      'llm_gateway_config_info{namespace="llm",gateway="two",pod="two-0",digest="two"}': '1x80',
      'llm_gateway_config_live_timestamp_seconds{namespace="llm",gateway="two",pod="two-0"}': '5x80',
    },
    quietAt: '11m',
    firesAt: '20m',
    resolvedAt: '30m',
    labels: { ...MAIN, pod: 'main-1' },
    summary: 'Pod main-1 of gateway llm/main has an older configuration than its neighbours.',
  },
  {
    alert: 'LLMGatewayEditsSlow',
    title: 'fires while edits take a minute',
    series: {
      'llm_gateway_operator_programmed_lag_seconds_bucket{namespace="system",le="10"}': '0+5x40 200x80 200+5x120',
      'llm_gateway_operator_programmed_lag_seconds_bucket{namespace="system",le="60"}': '0+5x240',
      'llm_gateway_operator_programmed_lag_seconds_bucket{namespace="system",le="+Inf"}': '0+5x240',
    },
    quietAt: '20m',
    firesAt: '50m',
    resolvedAt: '100m',
    labels: { namespace: 'system' },
    summary: 'Edits take 55s until they are live in every pod.',
  },
  {
    alert: 'LLMGatewayOperatorNoLeader',
    title: 'fires while operators run and none leads',
    series: {
      'leader_election_master_status{name="llm-gateway-operator",namespace="system",pod="a"}': '1x20 0x20 0x20',
      'leader_election_master_status{name="llm-gateway-operator",namespace="system",pod="b"}': '0x20 0x20 1x20',
    },
    quietAt: '10m',
    firesAt: '16m',
    resolvedAt: '25m',
    labels: { namespace: 'system' },
    summary: 'No operator leads in namespace system.',
  },
  {
    alert: 'LLMGatewayOperatorNoLeader',
    title: 'fires while there is no operator at all',
    series: {
      'leader_election_master_status{name="llm-gateway-operator",namespace="system",pod="a"}': '1x20 stale _x30 1x20',
    },
    quietAt: '10m',
    firesAt: '22m',
    resolvedAt: '30m',
    labels: { name: 'llm-gateway-operator' },
    summary: 'No operator leads.',
  },
  {
    alert: 'LLMGatewaySinkBehind',
    title: 'fires for the sink that is an hour behind',
    series: {
      [`llm_gateway_sink_behind_seconds{${GATEWAY},pod="file-0",sink="file"}`]: '2x20 3600x40 2x20',
      [`llm_gateway_sink_behind_seconds{${GATEWAY},pod="elastic-0",sink="elastic"}`]: '2x80',
    },
    quietAt: '10m',
    firesAt: '25m',
    resolvedAt: '35m',
    labels: { ...MAIN, sink: 'file' },
    summary: 'Sink file of llm/main is 1h 0m 0s behind.',
  },
  {
    alert: 'LLMGatewaySinkRefused',
    title: 'fires for the sink whose target refuses',
    series: {
      [`llm_gateway_sink_refused_total{${GATEWAY},pod="file-0",sink="file"}`]: '0x80',
      [`llm_gateway_sink_refused_total{${GATEWAY},pod="elastic-0",sink="elastic"}`]: '0x20 3x60',
    },
    quietAt: '10m',
    firesAt: '12m',
    resolvedAt: '30m',
    labels: { ...MAIN, sink: 'elastic' },
    summary: 'The target of sink elastic of llm/main refuses records.',
  },
  {
    alert: 'LLMGatewaySinkOvertaken',
    title: 'fires for the sink that was overtaken',
    series: { [`llm_gateway_sink_overtaken_total{${GATEWAY},pod="file-0",sink="file"}`]: '0x20 3x60' },
    quietAt: '10m',
    firesAt: '12m',
    resolvedAt: '30m',
    labels: { ...MAIN, sink: 'file' },
    summary: 'Sink file of llm/main missed records.',
  },
]
