import { endpoints } from '@llm-gateway/gui-api'
import { answered, type Route, route } from './answer.ts'
import type { ChartRecorder } from './live/chart-recorder.ts'
import { type OverviewDependencies, overview } from './live/overview.ts'

export type WatchDependencies = {
  readonly overview: OverviewDependencies
  readonly charts: ChartRecorder
  readonly now: () => number
}

/** What shows how things are. */
export function watchRoutes({ overview: dependencies, charts, now }: WatchDependencies): readonly Route[] {
  return [
    route(endpoints.overview, async () => answered(await overview(dependencies))),
    route(endpoints.charts, async ({ query }) => answered(charts.charts(query.minutes, now()))),
  ]
}
