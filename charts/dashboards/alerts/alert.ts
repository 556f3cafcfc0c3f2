/** One alert. Texts may hold Prometheus' templates, `{{ $labels.pod }}`, `{{ $value }}`. */
export type Alert = {
  /** Also the name of its runbook, docs/runbooks/NAME.md. */
  readonly name: string
  /** PromQL; each series of its result is an alert. */
  readonly expr: string
  /** How long it has to hold, as Prometheus writes durations. */
  readonly for: string
  /** critical: callers or records suffer now, wake somebody; warning: look at it today. */
  readonly severity: 'critical' | 'warning'
  /** One line: what is wrong, and where. */
  readonly summary: string
  /** The consequence for callers. */
  readonly description: string
}

export type AlertGroup = { readonly name: string; readonly alerts: readonly Alert[] }
