import type { Builder } from '@grafana/grafana-foundation-sdk/cog'
import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  type Panel,
  RowBuilder,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { type VariableName, variables } from './variables.ts'

export type Row = { readonly title: string; readonly panels: readonly Builder<Panel>[] }
export type DashboardPlan = {
  /** The name of the file and the end of the dashboard's address. */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly variables: readonly VariableName[]
  readonly rows: readonly Row[]
}

/** Makes Grafana's model of a dashboard, for its JSON file. */
export function dashboard(plan: DashboardPlan): Dashboard {
  const builder = new DashboardBuilder(`LLM gateway / ${plan.title}`)
    .uid(`llm-gateway-${plan.name}`)
    .description(plan.description)
    .tags(['llm-gateway'])
    .timezone('browser')
    .readonly()
    .time({ from: 'now-1h', to: 'now' })
    .refresh('30s')
    .tooltip(DashboardCursorSync.Crosshair)
    .variables(variables(plan.variables))
    .link(
      new DashboardLinkBuilder('LLM gateway')
        .type(DashboardLinkType.Dashboards)
        .tags(['llm-gateway'])
        .includeVars(true)
        .keepTime(true),
    )
  for (const row of plan.rows) {
    builder.withRow(new RowBuilder(row.title))
    for (const panel of row.panels) builder.withPanel(panel)
  }
  return builder.build()
}
