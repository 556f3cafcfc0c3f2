import type { ObservedPod } from '../snapshot.ts'
import type { Verdict } from './set-condition.ts'

/** A pod that lags counts after this long (kubernetes, 4). */
const LAG_COUNTS_MS = 30_000

export type Programming = {
  readonly pods: readonly ObservedPod[]
  /** Whether a pod has it; undefined: it didn't say. */
  readonly has: (pod: ObservedPod) => boolean | undefined
  /** It was Programmed already, in this generation. */
  readonly wasProgrammed: boolean
}

/** Whether every ready pod has something. Unreachable is Unknown, never False. */
export function judgePods({ pods, has, wasProgrammed }: Programming): Verdict {
  const ready = pods.filter((pod) => pod.ready)
  if (ready.length === 0) return { status: 'False', reason: 'NoReadyPods', message: 'No pod of the gateway is ready.' }
  const having = ready.filter((pod) => has(pod) === true)
  const message = `In use by ${having.length} of ${ready.length} ready pods.`
  if (having.length === ready.length) return { status: 'True', reason: 'Programmed', message }
  const missing = ready.filter((pod) => has(pod) !== true)
  const late = missing.filter((pod) => pod.lagMs >= LAG_COUNTS_MS)
  if (late.length === 0 && wasProgrammed) return { status: 'True', reason: 'Programmed', message }
  const unreachable = missing.filter(({ report }) => report.kind === 'unreachable')
  if (unreachable.length > 0) {
    return { status: 'Unknown', reason: 'PodsUnreachable', message: `${unreachable.length} ready pods do not answer.` }
  }
  return { status: 'False', reason: late.length > 0 ? 'PodsLagging' : 'Pending', message }
}
