import type { Alert, AlertGroup } from './alerts/alert.ts'
import { callAlerts } from './alerts/calls.ts'
import { configurationAlerts } from './alerts/configuration.ts'
import { recordAlerts } from './alerts/records.ts'
import { sinkAlerts } from './alerts/sinks.ts'

/** The chart's alerts by their topic. */
export const ALERT_GROUPS: readonly AlertGroup[] = [callAlerts, recordAlerts, sinkAlerts, configurationAlerts]

const HEAD = `# Written by \`make generate\` from charts/dashboards/alerts; don't edit it here.
`

/** Returns the rules in Prometheus' format; the chart puts the same groups into a PrometheusRule. */
export function rulesFile(): string {
  const groups = ALERT_GROUPS.map(({ name, alerts }) => `  - name: ${name}\n    rules:\n${alerts.map(rule).join('')}`)
  return `${HEAD}groups:\n${groups.join('')}`
}

/** Returns a rule in YAML, in which a JSON string is valid. */
function rule({ name, expr, for: lasting, severity, summary, description }: Alert): string {
  const lines = expr.split('\n').map((line) => `          ${line}`)
  return `      - alert: ${name}
        expr: |-
${lines.join('\n')}
        for: ${lasting}
        labels:
          severity: ${severity}
        annotations:
          summary: ${JSON.stringify(summary)}
          description: ${JSON.stringify(description)}
          runbook: ${JSON.stringify(`docs/runbooks/${name}.md`)}
`
}
