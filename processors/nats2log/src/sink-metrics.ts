import type { SinkReport } from './sink.ts'

/** The metrics of a sink in the Prometheus text format (docs/reference/metrics.md#sinks). */
export function sinkMetrics(sink: string, report: SinkReport, nowMs: number): string {
  const { delivered, refused, overtaken, behindRecords, oldestMs } = report
  const seconds = oldestMs === undefined ? 0 : Math.max(0, (nowMs - oldestMs) / 1_000)
  const rows: readonly (readonly [string, 'counter' | 'gauge', string, number])[] = [
    ['delivered_total', 'counter', 'Records that the target has.', delivered],
    ['refused_total', 'counter', 'Records that the target will never take, kept as dead letters.', refused],
    ['overtaken_total', 'counter', 'Records that the stream dropped before this sink had them.', overtaken],
    ['behind_records', 'gauge', 'Records of the stream that are not delivered yet.', behindRecords],
    ['behind_seconds', 'gauge', 'Age of the oldest record that is not delivered yet.', seconds],
  ]
  const lines = rows.flatMap(([name, type, help, value]) => {
    const metric = `llm_gateway_sink_${name}`
    return [`# HELP ${metric} ${help}`, `# TYPE ${metric} ${type}`, `${metric}{sink="${sink}"} ${value}`]
  })
  return `${lines.join('\n')}\n`
}
