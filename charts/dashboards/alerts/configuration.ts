import type { AlertGroup } from './alert.ts'

const BY = 'namespace, gateway'
const MAIN = '{{ $labels.namespace }}/{{ $labels.gateway }}'
const LEADERS = 'leader_election_master_status{name="llm-gateway-operator"}'
const SINCE = 'llm_gateway_config_live_timestamp_seconds'

/** Alerts about edits that don't reach pods. */
export const configurationAlerts: AlertGroup = {
  name: 'llm-gateway-configuration',
  alerts: [
    {
      name: 'LLMGatewayFileUnusable',
      expr: `count by (${BY}) (llm_gateway_reload_failed == 1)`,
      for: '2m',
      severity: 'warning',
      summary: `{{ $value }} pods of gateway ${MAIN} can’t use their configuration file.`,
      description: 'These pods keep their previous configuration. No edit reaches them until the file is corrected.',
    },
    {
      name: 'LLMGatewayPodBehind',
      // Pods whose digest differs from the digest of the pod that changed last.
      expr: `count by (${BY}, pod) (llm_gateway_config_info unless on (${BY}, digest) (
  llm_gateway_config_info and on (${BY}, pod) (
    ${SINCE} == on (${BY}) group_left () max by (${BY}) (${SINCE})
  )
))`,
      for: '5m',
      severity: 'warning',
      summary: `Pod {{ $labels.pod }} of gateway ${MAIN} has an older configuration than its neighbours.`,
      description: 'Pods answer calls differently: routers may be missing on this pod, or keys may be old.',
    },
    {
      name: 'LLMGatewayEditsSlow',
      expr: `histogram_quantile(0.9, sum by (namespace, le) (rate(llm_gateway_operator_programmed_lag_seconds_bucket[15m]))) > 30`,
      for: '5m',
      severity: 'warning',
      summary: 'Edits take {{ $value | humanizeDuration }} until they are live in every pod.',
      description: 'The operator is behind, or pods don’t load the files that it writes.',
    },
    {
      name: 'LLMGatewayOperatorNoLeader',
      expr: `sum by (namespace) (${LEADERS}) == 0 or absent(${LEADERS})`,
      for: '3m',
      severity: 'critical',
      summary: 'No operator leads{{ with $labels.namespace }} in namespace {{ . }}{{ end }}.',
      description:
        'Gateways keep running, but edits, rotated keys and failed pods have no effect on their configuration.',
    },
  ],
}
