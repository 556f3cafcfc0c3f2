import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ALERT_GROUPS } from '../../charts/dashboards/rules-file.ts'
import type { Prometheus } from './prometheus.ts'
import { ROOT } from './promtool.ts'

/** A query with the name of its panel or alert. */
export type NamedQuery = {
  readonly place: string
  /** PromQL without variables. */
  readonly expr: string
  /** The labels that appear in the names of its lines. */
  readonly labels: readonly string[]
  /** True if the query always has data; an alert has none without a fault. */
  readonly always: boolean
}

type PanelModel = {
  readonly title: string
  readonly type: string
  readonly targets?: readonly { readonly expr: string; readonly legendFormat?: string }[]
  readonly panels?: readonly PanelModel[]
}

/** Returns every query of the generated dashboards. Variables are All, and the interval is `interval`. */
export function panelQueries(interval: string): readonly NamedQuery[] {
  return globSync('charts/llm-gateway/files/dashboards/*.json', { cwd: ROOT }).flatMap((file) => {
    const { title, panels }: { title: string; panels: PanelModel[] } = JSON.parse(
      readFileSync(join(ROOT, file), 'utf8'),
    )
    return panels.flatMap(withInner).flatMap((panel) =>
      (panel.targets ?? []).map(({ expr, legendFormat = '' }) => ({
        place: `${title}: ${panel.title}`,
        expr: withVariables(expr, interval),
        always: true,
        labels: [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
      })),
    )
  })
}

/** Returns every query of the alerts. Their labels are checked by the tests that fire them. */
export function alertQueries(): readonly NamedQuery[] {
  return ALERT_GROUPS.flatMap(({ alerts }) => alerts).map(({ name, expr }) => ({
    place: name,
    expr,
    labels: [],
    always: false,
  }))
}

export function withVariables(expr: string, interval: string): string {
  return expr.replaceAll('$__rate_interval', interval).replaceAll(/\$(namespace|gateway|router|operator)\b/g, '.*')
}

/** Returns the series that a query reads: each metric with its matchers, as a query of its own. */
export function selectorsOf(expr: string): readonly string[] {
  const bare = expr.replaceAll(/"[^"]*"/g, (text) => text.replaceAll(/[^"]/g, '_'))
  const found = new Set<string>()
  for (const match of bare.matchAll(
    /\b(llm|gen_ai|process|nodejs|workqueue|controller_runtime|rest_client|leader_election)_\w+(\{[^}]*\})?/g,
  )) {
    // Labels in parentheses after `by` and `on` may begin with the same words.
    const before = bare.slice(0, match.index)
    if (/\b(by|on|without|ignoring|group_left|group_right) ?\([^()]*$/.test(before) || /\{[^}]*$/.test(before)) continue
    found.add(expr.slice(match.index, match.index + match[0].length))
  }
  return [...found]
}

/** Returns whether only the operator has these series. */
export function isOfOperator(selector: string): boolean {
  return /^(workqueue|controller_runtime|rest_client|leader_election|llm_gateway_operator)_/.test(selector)
}

/** Returns the missing data of the queries: metrics with their matchers, and labels in the names of lines. */
export async function missingIn(prometheus: Prometheus, queries: readonly NamedQuery[]): Promise<readonly string[]> {
  const missing: string[] = []
  for (const { place, expr, labels, always } of queries) {
    for (const selector of selectorsOf(expr)) {
      if ((await prometheus.query(selector)).length === 0) missing.push(`${place}: ${selector}`)
    }
    const series = await prometheus.query(expr)
    if (always && series.length === 0) missing.push(place)
    for (const label of labels) {
      if (!series.some(({ metric }) => metric[label] !== undefined)) missing.push(`${place}: {{${label}}}`)
    }
  }
  return missing
}

function withInner(panel: PanelModel): readonly PanelModel[] {
  return [panel, ...(panel.panels ?? []).flatMap(withInner)]
}
