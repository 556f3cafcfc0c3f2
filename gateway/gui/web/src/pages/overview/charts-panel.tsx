import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { chartsQuery } from '../../api/queries.ts'
import { type ChartSeries, LineChart } from '../../charts/line-chart.tsx'
import { texts } from '../../texts.ts'
import { useTheme } from '../../theme.ts'
import { Choice } from '../../ui/choice.tsx'
import { failedCalls } from '../transactions/transaction-search.ts'

const MINUTES = ['5', '15', '60'] as const
const ALL = '*'

/** Charts rate, errors, latency, time to the first token, overhead and tokens of one router or of all. */
export function ChartsPanel() {
  const [minutes, setMinutes] = useState<(typeof MINUTES)[number]>('15')
  const [router, setRouter] = useState(ALL)
  const { shown: theme } = useTheme()
  const { data } = useQuery(chartsQuery(Number(minutes)))
  const found = data?.routers.find((one) => one.router === router) ?? data?.routers[0]
  const times = useMemo(() => (data?.times ?? []).map((time) => time / 1_000), [data])
  const routers = [ALL, ...(data?.routers ?? []).map((one) => one.router).filter((name) => name !== ALL)]
  const names = texts.charts
  const line = (name: string, colour: string, values: readonly (number | null)[] = []): ChartSeries => ({
    name,
    colour,
    values,
  })
  /** A line of values per second, with the count over the whole span. */
  const counted = (name: string, colour: string, values: readonly (number | null)[] = []): ChartSeries => ({
    ...line(name, colour, values),
    sum: names.inAll(sumOf(values)),
  })
  const sumOf = (perSecond: readonly (number | null)[] = []): number =>
    Math.round(perSecond.reduce<number>((sum, rate) => sum + (rate ?? 0), 0) * ((data?.step_ms ?? 0) / 1_000))
  const errors = sumOf(found?.errors_per_second)
  const charts = [
    {
      title: names.rate,
      shown: texts.rate,
      series: [
        counted(names.requests, '--accent', found?.requests_per_second),
        {
          ...line(names.errors, '--bad', found?.errors_per_second),
          sum:
            errors === 0 ? (
              names.inAll(errors)
            ) : (
              <Link to="/transactions" search={failedCalls(router === ALL ? undefined : router)}>
                {names.inAll(errors)}
              </Link>
            ),
        },
      ],
    },
    {
      title: names.latency,
      shown: texts.milliseconds,
      series: [line(names.p50, '--accent', found?.latency_ms.p50), line(names.p95, '--warn', found?.latency_ms.p95)],
    },
    {
      title: names.firstToken,
      shown: texts.milliseconds,
      series: [
        line(names.p50, '--accent', found?.first_token_ms.p50),
        line(names.p95, '--warn', found?.first_token_ms.p95),
      ],
    },
    {
      title: names.overhead,
      shown: texts.milliseconds,
      series: [line(names.p50, '--accent', found?.overhead_ms.p50), line(names.p95, '--warn', found?.overhead_ms.p95)],
    },
    {
      title: names.tokens,
      shown: texts.rate,
      series: [
        counted(names.input, '--accent', found?.input_tokens_per_second),
        counted(names.output, '--good', found?.output_tokens_per_second),
      ],
    },
  ]
  return (
    <section className="stack" aria-label={names.title}>
      <div className="row between">
        <h2>{names.title}</h2>
        <div className="row">
          <Choice
            label={names.router}
            hideLabel
            value={router}
            options={routers.map((id) => ({ id, name: id === ALL ? names.allRouters : id }))}
            onChange={setRouter}
          />
          <Choice
            label={names.span}
            hideLabel
            value={minutes}
            options={MINUTES.map((id) => ({ id, name: names.minutes(id) }))}
            onChange={setMinutes}
          />
        </div>
      </div>
      <div className="charts">
        {charts.map(({ title, series, shown }) => (
          <LineChart
            key={title}
            title={title}
            times={times}
            series={series}
            shown={shown}
            theme={theme}
            seconds={Number(minutes) * 60}
          />
        ))}
      </div>
    </section>
  )
}
