import { Counter, type Registry } from 'prom-client'
import { CATEGORIES, type Scores } from './scores.ts'

/** Counts what was scored: requests by verdict, and by the categories that were over the threshold. */
export function createFilterMetrics(registry: Registry, threshold: number): (scores: Scores, isToxic: boolean) => void {
  const registers = [registry]
  const requests = new Counter({
    name: 'llm_content_filter_requests_total',
    help: 'Requests that were scored, by verdict',
    labelNames: ['verdict'],
    registers,
  })
  const over = new Counter({
    name: 'llm_content_filter_over_threshold_total',
    help: 'Rejected requests, by each category whose score was over the threshold',
    labelNames: ['category'],
    registers,
  })
  for (const verdict of ['toxic', 'clean']) requests.inc({ verdict }, 0)
  for (const category of CATEGORIES) over.inc({ category }, 0)
  return (scores, isToxic) => {
    requests.inc({ verdict: isToxic ? 'toxic' : 'clean' })
    for (const category of CATEGORIES) if (scores[category] > threshold) over.inc({ category })
  }
}
