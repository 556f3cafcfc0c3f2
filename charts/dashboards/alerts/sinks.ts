import type { AlertGroup } from './alert.ts'

/** Alerts about sinks that don't deliver records. */
export const sinkAlerts: AlertGroup = {
  name: 'llm-gateway-sinks',
  alerts: [
    {
      name: 'LLMGatewaySinkBehind',
      expr: 'max by (namespace, gateway, sink) (llm_gateway_sink_behind_seconds) > 600',
      for: '10m',
      severity: 'warning',
      summary:
        'Sink {{ $labels.sink }} of {{ $labels.namespace }}/{{ $labels.gateway }} is {{ $value | humanizeDuration }} behind.',
      description: 'Records arrive late at the sink’s target. Records that the stream drops meanwhile never arrive.',
    },
    {
      name: 'LLMGatewaySinkRefused',
      expr: 'sum by (namespace, gateway, sink) (increase(llm_gateway_sink_refused_total[15m])) > 0',
      for: '0m',
      severity: 'warning',
      summary:
        'The target of sink {{ $labels.sink }} of {{ $labels.namespace }}/{{ $labels.gateway }} refuses records.',
      description: 'The target does not accept these records. They are stored as dead letters on the bus.',
    },
    {
      name: 'LLMGatewaySinkOvertaken',
      expr: 'sum by (namespace, gateway, sink) (increase(llm_gateway_sink_overtaken_total[15m])) > 0',
      for: '0m',
      severity: 'critical',
      summary: 'Sink {{ $labels.sink }} of {{ $labels.namespace }}/{{ $labels.gateway }} missed records.',
      description: 'The stream was full and dropped records that the sink had not read: its target has a gap.',
    },
  ],
}
