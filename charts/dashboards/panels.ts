import type { Builder } from '@grafana/grafana-foundation-sdk/cog'
import {
  BigValueColorMode,
  BigValueGraphMode,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common'
import {
  type Panel,
  type Threshold,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus'
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat'
import { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table'
import { PanelBuilder as TimeSeriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries'

export type Query = {
  /** PromQL. */
  readonly expr: string
  /** The name of each line; `{{label}}` is the label's value. */
  readonly legend: string
}

/** Grafana's names of units. */
export type Unit = 'reqps' | 'cps' | 's' | 'bytes' | 'Bps' | 'percentunit' | 'short' | 'none' | 'ops'

/** The content of a panel; its width is in 24ths of the dashboard's. */
export type PanelPlan = {
  readonly title: string
  /** The meaning of the values and of a bad value. */
  readonly description: string
  readonly unit: Unit
  readonly queries: readonly Query[]
  readonly width?: number
  /** Values from here on are bad; absent: no value is bad. */
  readonly badFrom?: number
  /** Values below this number are bad. */
  readonly badBelow?: number
  /** True: stacks the lines, where their sum is meaningful. */
  readonly stacked?: boolean
  /** The text for a missing value. */
  readonly without?: string
  /** The maximum of the axis. */
  readonly max?: number
}

const LINES_HEIGHT = 8
const STAT_HEIGHT = 4
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' }

/** Makes a panel with lines over time. */
export function lines(plan: PanelPlan): Builder<Panel> {
  const { title, description, unit, queries, width = 12, stacked = false, max } = plan
  const panel = new TimeSeriesBuilder()
    .title(title)
    .description(description)
    .datasource(DATASOURCE)
    .unit(unit)
    .min(0)
    .span(width)
    .height(LINES_HEIGHT)
    .lineWidth(1)
    .fillOpacity(stacked ? 40 : 8)
    .showPoints(VisibilityMode.Never)
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.Table)
        .placement(LegendPlacement.Right)
        .showLegend(true)
        .calcs(['lastNotNull', 'max']),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending))
    .thresholds(thresholds(plan))
    .targets(queries.map((query, index) => target(query, index)))
  if (stacked) panel.stacking(new StackingConfigBuilder().mode(StackingMode.Normal))
  return max === undefined ? panel : panel.max(max)
}

/**
 * Makes a panel with the newest number and its history. A dashboard writes the position into a panel, so each dashboard
 * needs its own.
 */
export function stat(plan: PanelPlan): Builder<Panel> {
  const { title, description, unit, queries, width = 4, without = 'no data' } = plan
  return new StatBuilder()
    .title(title)
    .description(description)
    .datasource(DATASOURCE)
    .unit(unit)
    .span(width)
    .height(STAT_HEIGHT)
    .noValue(without)
    .graphMode(BigValueGraphMode.Area)
    .colorMode(BigValueColorMode.Value)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false))
    .thresholds(thresholds(plan))
    .targets(queries.map((query, index) => target(query, index)))
}

export type TablePlan = Pick<PanelPlan, 'title' | 'description' | 'unit' | 'width'> & {
  readonly expr: string
  /** Label → title of its column, in this order. */
  readonly columns: Readonly<Record<string, string>>
  /** The title of the column with the number; absent: the number isn't shown. */
  readonly value?: string
}

/** Makes a panel with the newest values as a table, one row per series. */
export function table({ title, description, unit, width = 12, expr, columns, value }: TablePlan): Builder<Panel> {
  const names = Object.keys(columns)
  return new TableBuilder()
    .title(title)
    .description(description)
    .datasource(DATASOURCE)
    .unit(unit)
    .span(width)
    .height(LINES_HEIGHT)
    .withTransformation({
      id: 'organize',
      options: {
        excludeByName: { Time: true, ...(value === undefined ? { Value: true } : {}) },
        indexByName: Object.fromEntries([...names, 'Value'].map((name, index) => [name, index])),
        renameByName: { ...columns, ...(value === undefined ? {} : { Value: value }) },
      },
    })
    .withTarget(
      new DataqueryBuilder().refId('A').datasource(DATASOURCE).expr(expr).instant().format(PromQueryFormat.Table),
    )
}

function target({ expr, legend }: Query, index: number): DataqueryBuilder {
  const refId = String.fromCharCode('A'.charCodeAt(0) + index)
  return new DataqueryBuilder().refId(refId).datasource(DATASOURCE).expr(expr).range().legendFormat(legend)
}

function thresholds({ badFrom, badBelow }: PanelPlan): ThresholdsConfigBuilder {
  const steps: Threshold[] = [{ value: null, color: badBelow === undefined ? 'green' : 'red' }]
  if (badFrom !== undefined) steps.push({ value: badFrom, color: 'red' })
  if (badBelow !== undefined) steps.push({ value: badBelow, color: 'green' })
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps)
}
