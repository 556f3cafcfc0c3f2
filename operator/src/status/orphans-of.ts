import type { ClusterState } from '../kube/cluster-state.ts'
import type { Statuses } from '../translate/judge-all.ts'
import { orphanProcessorStatus } from '../translate/processors/orphan-processor-status.ts'
import { orphanStatus } from '../translate/routers/orphan-status.ts'

/** The statuses of those that name a gateway which isn't there. */
export function orphansOf(state: ClusterState, gateway: string, now: string): Omit<Statuses, 'gateway'> {
  return {
    routers: state.routers.of(gateway).map((router) => ({ router, status: orphanStatus(router, now) })),
    processors: state.processors.of(gateway).map((processor) => ({
      processor,
      status: orphanProcessorStatus(processor, now),
    })),
  }
}
