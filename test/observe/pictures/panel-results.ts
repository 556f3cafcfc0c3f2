import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withVariables } from '../named-queries.ts'
import type { Prometheus, Series } from '../prometheus.ts'
import { ROOT } from '../promtool.ts'

/** A panel of a dashboard with Prometheus's answers. */
export type DrawnPanel = {
  readonly type: string
  readonly title: string
  readonly grid: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly unit: string
  readonly thresholds: readonly { readonly value: number | null; readonly color: string }[]
  /** The text that stands for a missing number. */
  readonly without: string
  readonly stacked: boolean
  readonly max: number | undefined
  /** Unix seconds. */
  readonly times: readonly number[]
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[]
  /** The columns of a table. */
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

type Model = {
  readonly title: string
  readonly panels: readonly {
    readonly type: string
    readonly title: string
    readonly gridPos: DrawnPanel['grid']
    readonly targets?: readonly { readonly expr: string; readonly legendFormat?: string }[]
    readonly transformations?: readonly {
      readonly options: { readonly renameByName: Readonly<Record<string, string>> }
    }[]
    readonly fieldConfig?: {
      readonly defaults: {
        readonly unit?: string
        readonly max?: number
        readonly noValue?: string
        readonly thresholds?: { readonly steps: DrawnPanel['thresholds'] }
        readonly custom?: { readonly stacking?: { readonly mode?: string } }
      }
    }
  }[]
}

export type Span = { readonly start: number; readonly end: number; readonly step: number }

/** Returns a dashboard's panels with the answers to their queries. */
export async function drawnDashboard(
  name: string,
  prometheus: Prometheus,
  span: Span,
): Promise<{ readonly title: string; readonly panels: readonly DrawnPanel[] }> {
  const file = join(ROOT, 'charts/llm-gateway/files/dashboards', `${name}.json`)
  const { title, panels }: Model = JSON.parse(readFileSync(file, 'utf8'))
  return { title, panels: await Promise.all(panels.map((panel) => drawnPanel(panel, prometheus, span))) }
}

async function drawnPanel(panel: Model['panels'][number], prometheus: Prometheus, span: Span): Promise<DrawnPanel> {
  const { type, title, gridPos: grid, targets = [], fieldConfig } = panel
  const { unit = 'none', max, noValue: without = 'No data', thresholds, custom } = fieldConfig?.defaults ?? {}
  const times = Array.from(
    { length: Math.floor((span.end - span.start) / span.step) + 1 },
    (_, i) => span.start + i * span.step,
  )
  const looks = {
    type,
    title,
    grid,
    unit,
    without,
    thresholds: thresholds?.steps ?? [],
    stacked: custom?.stacking?.mode === 'normal',
    max,
  }
  const queries = targets.map(({ expr, legendFormat = '' }) => ({ expr: withVariables(expr, '10s'), legendFormat }))
  if (type === 'table') {
    const names = Object.entries(panel.transformations?.[0]?.options.renameByName ?? {})
    const found = await Promise.all(queries.map(({ expr }) => prometheus.query(expr)))
    const rows = found.flat().map(({ metric }) => names.map(([label]) => metric[label] ?? ''))
    return { ...looks, times, series: [], columns: names.map(([, column]) => column), rows }
  }
  const series = await Promise.all(
    queries.map(async ({ expr, legendFormat }) =>
      (await prometheus.range(expr, span)).map((series) => ({
        name: legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_, label) => series.metric[label] ?? ''),
        values: valuesAt(times, series),
      })),
    ),
  )
  return { ...looks, times, series: series.flat(), columns: [], rows: [] }
}

function valuesAt(times: readonly number[], { values }: Series): (number | null)[] {
  const known = new Map(values.map(([time, text]) => [time, Number(text)]))
  return times.map((time) => known.get(time) ?? null).map((value) => (Number.isFinite(value) ? value : null))
}
