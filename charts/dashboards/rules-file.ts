import type { Alert, AlertGroup } from './alerts/alert.ts'
import { callAlerts } from './alerts/calls.ts'
import { configurationAlerts } from './alerts/configuration.ts'
import { recordAlerts } from './alerts/records.ts'
import { sinkAlerts } from './alerts/sinks.ts'

/** Every alert of the chart, by what it watches. */
export const ALERT_GROUPS: readonly AlertGroup[] = [callAlerts, recordAlerts, sinkAlerts, configurationAlerts]

const HEAD = `# Written by \`make generate\` from charts/dashboards/alerts; don't edit it here.
`

/** The rules as Prometheus reads them; the chart puts the same groups into a PrometheusRule. */
export function rulesFile(): string {
  const groups = ALERT_GROUPS.map(({ name, alerts }) => `  - name: ${name}\n    rules:\n${alerts.map(rule).join('')}`)
  return `${HEAD}groups:\n${groups.join('')}`
}

/** A quoted text of JSON is one of YAML too. */
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
