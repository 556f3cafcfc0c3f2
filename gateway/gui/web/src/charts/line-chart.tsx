import { type ReactNode, useEffect, useId, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { texts } from '../texts.ts'
import { tokenColour } from './token-colour.ts'

export type ChartSeries = {
  readonly name: string
  /** A token of the style sheet, for example `--accent`. */
  readonly colour: string
  readonly values: readonly (number | null)[]
  /** The sum over the whole span. */
  readonly sum?: ReactNode
}

export type LineChartProps = {
  readonly title: string
  /** Unix seconds, rising. */
  readonly times: readonly number[]
  readonly series: readonly ChartSeries[]
  /** Formats a value for people. */
  readonly shown: (value: number) => string
  readonly theme: string
  /** Length of the shown time, which ends at the newest value. */
  readonly seconds: number
}

const HEIGHT_PX = 150
/** Up to this number of values each gets a dot, since a line would be too short to see. */
const MOST_DOTS = 12

/** Draws a line for each series. The chart keeps its height, and its lines stay while new values arrive. */
export function LineChart({ title, times, series, shown, theme, seconds }: LineChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(undefined)
  const values = useRef<uPlot.AlignedData>([[]])
  const id = useId()
  values.current = [[...times], ...series.map((one) => [...one.values])]
  const shape = JSON.stringify(series.map(({ name, colour }) => [name, colour]))

  // biome-ignore lint/correctness/useExhaustiveDependencies: a chart keeps its colours: a new theme needs a new chart
  useEffect(() => {
    const parent = place.current
    if (parent === null) return
    const lines: [string, string][] = JSON.parse(shape)
    const created = new uPlot(options(lines, { shown, seconds }, parent), values.current, parent)
    chart.current = created
    const observer = new ResizeObserver(() => created.setSize({ width: parent.clientWidth, height: HEIGHT_PX }))
    observer.observe(parent)
    return () => {
      observer.disconnect()
      created.destroy()
    }
  }, [shape, shown, theme, seconds])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect draws the values of these two
  useEffect(() => chart.current?.setData(values.current), [times, series])

  return (
    <figure className="card chart" aria-labelledby={id}>
      <figcaption>
        <h3 id={id}>{title}</h3>
        <p className={series.some(({ sum }) => sum !== undefined) ? 'legend sums number' : 'row legend number'}>
          {series.every(({ values }) => lastOf(values) === undefined) ? texts.charts.empty : null}
          {series.map((one) => (
            <LatestValue key={one.name} series={one} shown={shown} />
          ))}
        </p>
      </figcaption>
      <div ref={place} className="plot" aria-hidden="true" />
    </figure>
  )
}

type LatestValueProps = { readonly series: ChartSeries; readonly shown: (value: number) => string }

/** Shows a line's name and newest value, also for people who can't see lines. */
function LatestValue({ series: { name, colour, values, sum }, shown }: LatestValueProps) {
  const last = lastOf(values)
  if (last === undefined) return null
  return (
    <span className="row">
      <span className="swatch" style={{ background: `var(${colour})` }} />
      {name} {shown(last)}
      {sum === undefined ? null : <span>· {sum}</span>}
    </span>
  )
}

function lastOf(values: ChartSeries['values']): number | undefined {
  return values.findLast((value) => value !== null) ?? undefined
}

/** Returns the shown span. Before the first value uPlot has no time, so the span ends now. */
function spanUpTo(newest: number, seconds: number): [number, number] {
  const end = newest > seconds ? newest : Date.now() / 1_000
  return [end - seconds, end]
}

function options(
  lines: readonly (readonly [string, string])[],
  { shown, seconds }: Pick<LineChartProps, 'shown' | 'seconds'>,
  parent: HTMLElement,
): uPlot.Options {
  const soft = tokenColour('--text-soft')
  const grid = { stroke: tokenColour('--border'), width: 1 }
  const font = `11px ${getComputedStyle(parent).fontFamily}`
  return {
    width: parent.clientWidth,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    scales: {
      x: { range: (_, __, max) => spanUpTo(max, seconds) },
      y: { range: (_, __, max) => [0, max > 0 ? max * 1.15 : 1] },
    },
    axes: [
      {
        stroke: soft,
        font,
        grid: { show: false },
        ticks: { show: false },
        size: 26,
        space: 60,
        values: (_, splits) => splits.map((time) => texts.minute(time)),
      },
      {
        stroke: soft,
        font,
        grid,
        ticks: { show: false },
        size: 56,
        space: 34,
        values: (_, splits) => splits.map((value) => shown(value)),
      },
    ],
    series: [
      {},
      ...lines.map(([label, colour]) => ({
        label,
        stroke: tokenColour(colour),
        width: 1.75,
        points: { show: (_: uPlot, __: number, first: number, last: number) => last - first < MOST_DOTS, size: 5 },
        spanGaps: true,
      })),
    ],
  }
}
