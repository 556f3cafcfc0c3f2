import type { AlertGroup } from './alert.ts'

const BY = 'namespace, gateway'

/** What callers feel. */
export const callAlerts: AlertGroup = {
  name: 'llm-gateway-calls',
  alerts: [
    {
      name: 'LLMGatewayFailsCalls',
      expr: `sum by (${BY}) (rate(llm_gateway_requests_total{error_type=~"gateway_.*|policy_unavailable"}[5m]))
  / sum by (${BY}) (rate(llm_gateway_requests_total[5m])) > 0.01`,
      for: '5m',
      severity: 'critical',
      summary:
        'Gateway {{ $labels.namespace }}/{{ $labels.gateway }} fails {{ $value | humanizePercentage }} of its calls.',
      description: 'The gateway or a required processor refuses calls that were in order: callers get 500 or 503.',
    },
  ],
}
