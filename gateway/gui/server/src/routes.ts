import { endpoints } from '@llm-gateway/gui-api'
import { answered, type Route, route } from './answer.ts'
import type { ChartRecorder } from './live/chart-recorder.ts'
import { type OverviewDependencies, overview } from './live/overview.ts'
import { shareRunning } from './share-running.ts'

export type WatchDependencies = {
  readonly overview: OverviewDependencies
  readonly charts: ChartRecorder
  readonly now: () => number
}

/** Returns the routes of the overview and the charts. */
export function watchRoutes({ overview: dependencies, charts, now }: WatchDependencies): readonly Route[] {
  // Many pages ask every few seconds, and each answer reads all of the gateway's metrics.
  const shared = shareRunning(() => overview(dependencies))
  return [
    route(endpoints.overview, async () => answered(await shared())),
    route(endpoints.charts, async ({ query }) => answered(charts.charts(query.minutes, now()))),
  ]
}
