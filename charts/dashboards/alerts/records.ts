import type { AlertGroup } from './alert.ts'

const BY = 'namespace, gateway'
const MAIN = '{{ $labels.namespace }}/{{ $labels.gateway }}'

/** Alerts about records that are lost or at risk. */
export const recordAlerts: AlertGroup = {
  name: 'llm-gateway-records',
  alerts: [
    {
      name: 'LLMGatewayRecordsLost',
      expr: `sum by (${BY}, reason) (increase(llm_gateway_records_total{result="lost"}[10m])) > 0`,
      for: '0m',
      severity: 'critical',
      summary: `Gateway ${MAIN} lost records of calls ({{ $labels.reason }}).`,
      description: 'These calls were answered, but no sink will ever have their records.',
    },
    {
      name: 'LLMGatewayRecordQueueFills',
      expr: `max by (${BY}, pod) (llm_gateway_record_queue_bytes / llm_gateway_record_queue_limit_bytes) > 0.7`,
      for: '1m',
      severity: 'warning',
      summary: `The record queue of pod {{ $labels.pod }} of ${MAIN} is {{ $value | humanizePercentage }} full.`,
      description:
        'The bus takes records more slowly than calls make them, or is away. Where queue and spool are full, records are lost or calls refused.',
    },
    {
      name: 'LLMGatewayBusAway',
      expr: `count by (${BY}) (llm_gateway_bus_connected == 0)`,
      for: '2m',
      severity: 'critical',
      summary: `{{ $value }} pods of gateway ${MAIN} have no connection to the bus.`,
      description: 'No processor is called, calls that require one get 503, and records wait in memory and on disk.',
    },
  ],
}
