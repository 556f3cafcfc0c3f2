import { useQuery } from '@tanstack/react-query'
import { overviewQuery } from '../../api/queries.ts'
import { texts } from '../../texts.ts'
import { Failure } from '../../ui/failure.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { ChartsPanel } from './charts-panel.tsx'
import { FirstSteps } from './first-steps.tsx'
import { HealthTiles } from './health-tiles.tsx'
import { PartsTables } from './parts-tables.tsx'
import { Problems } from './problems.tsx'

/** Shows the running parts and the problems, the worst first. */
export function OverviewPage() {
  const { data: overview, error, refetch } = useQuery(overviewQuery)
  const version = overview === undefined ? undefined : texts.overview.version(overview.version)
  return (
    <>
      <PageHead title={texts.nav.overview} note={version} />
      {error === null ? null : <Failure error={error} retry={() => void refetch()} />}
      <Problems problems={overview?.problems} />
      <HealthTiles overview={overview} />
      <FirstSteps overview={overview} />
      <ChartsPanel />
      {overview === undefined ? null : <PartsTables overview={overview} />}
    </>
  )
}
