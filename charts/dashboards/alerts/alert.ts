/** An alert. Texts may contain Prometheus' templates, `{{ $labels.pod }}`, `{{ $value }}`. */
export type Alert = {
  /** The alert's name, also of its runbook docs/runbooks/NAME.md. */
  readonly name: string
  /** PromQL; each series of its result is an alert. */
  readonly expr: string
  /** The duration for which the condition must hold, in Prometheus' format. */
  readonly for: string
  /** critical: callers or records suffer now, so a person is woken; warning: a person looks at it the same day. */
  readonly severity: 'critical' | 'warning'
  /** A sentence with the fault and its place. */
  readonly summary: string
  /** The consequence for callers. */
  readonly description: string
}

export type AlertGroup = { readonly name: string; readonly alerts: readonly Alert[] }
