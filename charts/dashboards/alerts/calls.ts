import type { AlertGroup } from './alert.ts'

const BY = 'namespace, gateway'
const MAIN = '{{ $labels.namespace }}/{{ $labels.gateway }}'

/** Alerts about failing or slow calls. */
export const callAlerts: AlertGroup = {
  name: 'llm-gateway-calls',
  alerts: [
    {
      name: 'LLMGatewayFailsCalls',
      expr: `sum by (${BY}) (rate(llm_gateway_requests_total{error_type=~"gateway_.*|policy_unavailable"}[5m]))
  / sum by (${BY}) (rate(llm_gateway_requests_total[5m])) > 0.01`,
      for: '5m',
      severity: 'critical',
      summary: `Gateway ${MAIN} fails {{ $value | humanizePercentage }} of its calls.`,
      description: 'The gateway or a required processor refuses valid calls: callers get 500 or 503.',
    },
    {
      name: 'LLMGatewayRouterFails',
      // Ignores a few failures in a quiet hour.
      expr: `sum by (${BY}, router) (rate(llm_gateway_requests_total{error_type=~"provider_.*|policy_denied"}[10m]))
  / sum by (${BY}, router) (rate(llm_gateway_requests_total[10m])) > 0.2
and
sum by (${BY}, router) (increase(llm_gateway_requests_total{error_type=~"provider_.*|policy_denied"}[10m])) > 10`,
      for: '10m',
      severity: 'warning',
      summary: `Router {{ $labels.router }} of ${MAIN} fails {{ $value | humanizePercentage }} of its calls.`,
      description:
        'The router’s LLM API can’t be reached, answers too late or answers with errors. Other routers need not be affected.',
    },
    {
      name: 'LLMGatewayOverheadHigh',
      expr: `histogram_quantile(0.95, sum by (${BY}, le) (rate(llm_gateway_overhead_seconds_bucket[10m]))) > 0.5
and
sum by (${BY}) (increase(llm_gateway_overhead_seconds_count[10m])) > 100`,
      for: '10m',
      severity: 'warning',
      summary: `Gateway ${MAIN} and its processors add {{ $value | humanizeDuration }} to calls.`,
      description:
        'One call in twenty spends this time outside its LLM API: in processors, or in gateway pods that are too busy.',
    },
    {
      name: 'LLMGatewayRequiredProcessorFails',
      expr: `sum by (${BY}, router) (rate(llm_gateway_requests_total{error_type="policy_unavailable"}[5m])) > 0`,
      for: '3m',
      severity: 'critical',
      summary: `A required processor gives router {{ $labels.router }} of ${MAIN} no answer.`,
      description: 'Calls of this router get 503 PROCESSOR_REQUIRED instead of going on without the processor.',
    },
    {
      name: 'LLMGatewayProcessorFails',
      expr: `sum by (${BY}, processor) (rate(llm_gateway_processor_seconds_count{outcome="failed"}[10m]))
  / sum by (${BY}, processor) (rate(llm_gateway_processor_seconds_count[10m])) > 0.1`,
      for: '10m',
      severity: 'warning',
      summary: `Processor {{ $labels.processor }} fails {{ $value | humanizePercentage }} of the calls of ${MAIN}.`,
      description:
        'The processor answers too late or not at all. Calls that don’t require it go on without its fields.',
    },
    {
      name: 'LLMGatewayMemoryNearBound',
      expr: `max by (${BY}, pod) (process_resident_memory_bytes / (2 * llm_gateway_buffered_limit_bytes + 268435456)) > 0.9`,
      for: '10m',
      severity: 'warning',
      summary: `Pod {{ $labels.pod }} of gateway ${MAIN} uses {{ $value | humanizePercentage }} of its memory bound.`,
      description: 'Near the bound the pod makes calls wait, then refuses them with 503 OVERLOADED.',
    },
  ],
}
