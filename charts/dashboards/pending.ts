import type { AlertGroup } from './alerts/alert.ts'
import type { PanelPlan } from './panels.ts'
import { GATEWAY, rateBy } from './selectors.ts'

/**
 * Panels whose metrics no program has yet (records that are kept). The chart gets none of them: test/observe says which
 * metrics are there by now, and then they move to records.ts.
 */
export const PENDING_PANELS: readonly PanelPlan[] = [
  {
    title: 'Records acknowledged',
    description: 'Records that the bus’s stream has confirmed, each second.',
    unit: 'ops',
    queries: [{ expr: rateBy('pod', `llm_gateway_records_acknowledged_total{${GATEWAY}}`), legend: '{{pod}}' }],
  },
  {
    title: 'Spool',
    description: 'Bytes of records that wait on a pod’s disk for the bus.',
    unit: 'bytes',
    queries: [{ expr: `llm_gateway_records_spooled_bytes{${GATEWAY}}`, legend: '{{pod}}' }],
  },
  {
    title: 'Oldest record of the spool',
    description: 'How long the oldest record on a pod’s disk has waited.',
    unit: 's',
    queries: [{ expr: `llm_gateway_records_oldest_spooled_seconds{${GATEWAY}}`, legend: '{{pod}}' }],
  },
  {
    title: 'Sinks behind',
    description: 'How old the newest record is that a sink has delivered.',
    unit: 's',
    queries: [{ expr: `max by (sink) (llm_gateway_sink_behind_seconds{${GATEWAY}})`, legend: '{{sink}}' }],
  },
  {
    title: 'Records that sinks have yet to deliver',
    description: 'By sink.',
    unit: 'short',
    queries: [{ expr: `max by (sink) (llm_gateway_sink_behind_records{${GATEWAY}})`, legend: '{{sink}}' }],
  },
  {
    title: 'Delivered, refused, overtaken',
    description:
      'Refused: the target will never take it; overtaken: the stream dropped it before the sink had read it.',
    unit: 'ops',
    queries: ['delivered', 'refused', 'overtaken'].map((outcome) => ({
      expr: rateBy('sink', `llm_gateway_sink_${outcome}_total{${GATEWAY}}`),
      legend: `{{sink}} ${outcome}`,
    })),
  },
]

export const PENDING_ALERTS: AlertGroup = {
  name: 'llm-gateway-sinks',
  alerts: [
    {
      name: 'LLMGatewaySinkBehind',
      expr: 'max by (namespace, gateway, sink) (llm_gateway_sink_behind_seconds) > 600',
      for: '10m',
      severity: 'warning',
      summary:
        'Sink {{ $labels.sink }} of {{ $labels.namespace }}/{{ $labels.gateway }} is {{ $value | humanizeDuration }} behind.',
      description: 'Records get to the sink’s target late. What the stream drops meanwhile never gets there.',
    },
    {
      name: 'LLMGatewaySinkRefused',
      expr: 'sum by (namespace, gateway, sink) (increase(llm_gateway_sink_refused_total[15m])) > 0',
      for: '0m',
      severity: 'warning',
      summary:
        'The target of sink {{ $labels.sink }} of {{ $labels.namespace }}/{{ $labels.gateway }} refuses records.',
      description: 'The target will never take these records; they lie among the dead letters of the bus.',
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
