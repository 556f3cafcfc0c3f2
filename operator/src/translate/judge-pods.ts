import type { ObservedDeployment, ObservedPod, PodFailure } from '../model/snapshot.ts'
import type { Verdict } from './set-condition.ts'

/** A pod that lags this long makes `PodsLagging` (docs/reference/kubernetes.md#reasons). */
const LAG_COUNTS_MS = 30_000

export type Programming = {
  readonly pods: readonly ObservedPod[]
  /** The judged part of the configuration in messages, such as `this Router`. */
  readonly part: string
  /** Returns whether a pod has the judged part of the configuration; undefined: the pod didn't say. */
  readonly has: (pod: ObservedPod) => boolean | undefined
  /** Returns whether a pod was given that part and refused it. */
  readonly rejects?: (pod: ObservedPod) => boolean
  /** True when Programmed was True before in this generation. */
  readonly wasProgrammed: boolean
  /** True when nothing is written for the gateway: a pod without that part won't get it. */
  readonly paused: boolean
}

/**
 * Judges whether every ready pod has a part of the configuration. A pod that can't be reached makes Unknown, never
 * False. Only Programmed's message counts pods: otherwise each pod that catches up would change all statuses.
 */
export function judgePods({ pods, part, has, rejects = () => false, wasProgrammed, paused }: Programming): Verdict {
  const ready = pods.filter((pod) => pod.ready)
  if (ready.length === 0) return { status: 'False', reason: 'NoReadyPods', message: 'No pod of the gateway is ready.' }
  if (ready.some(rejects))
    return { status: 'False', reason: 'RejectedByGateway', message: `A ready gateway pod rejects ${part}.` }
  const missing = ready.filter((pod) => has(pod) !== true)
  const message = `${ready.length - missing.length} of ${ready.length} ready gateway pods use ${part}.`
  if (missing.length === 0) return { status: 'True', reason: 'Programmed', message }
  const late = missing.filter((pod) => pod.lagMs >= LAG_COUNTS_MS)
  if (late.length === 0 && wasProgrammed) return { status: 'True', reason: 'Programmed', message }
  if (late.some(({ report }) => report.kind === 'reported' && report.reloadFailed === true)) {
    return {
      status: 'False',
      reason: 'RejectedByGateway',
      message: 'A ready gateway pod can not load the configuration.',
    }
  }
  if (paused && missing.some(({ report }) => report.kind === 'reported')) {
    const message = `Not every ready gateway pod has ${part}, and the gateway is paused.`
    return { status: 'False', reason: 'Pending', message }
  }
  if (late.some(({ report }) => report.kind === 'reported')) {
    const message = 'A ready gateway pod has had an older configuration for 30 s or more.'
    return { status: 'False', reason: 'PodsLagging', message }
  }
  if (missing.some(({ report }) => report.kind === 'unreachable')) {
    return {
      status: 'Unknown',
      reason: 'PodsUnreachable',
      message: 'A ready gateway pod does not answer the operator.',
    }
  }
  return { status: 'False', reason: 'Pending', message: `Not every ready gateway pod has ${part} yet.` }
}

/**
 * Returns whether enough pods of a Deployment are ready. Just after an edit the status still describes the previous
 * template's pods. The previous pods run on, so the verdict doesn't flap. A Deployment of zero pods calls itself
 * available, although no pod serves.
 */
export function isServing(deployment: ObservedDeployment | undefined): boolean {
  if (deployment === undefined || deployment.readyReplicas === 0) return false
  return deployment.available || deployment.wasAvailable === true
}

/** Kubernetes' own messages aren't copied, since they may hold anything. */
const FAILURES: Readonly<Record<PodFailure, string>> = {
  image: 'The image of a pod can not be pulled; the events of the pod say why.',
  crash: 'A container of a pod crashes again and again; the log of the pod says why.',
  place: 'A pod can not be scheduled; the PodScheduled condition of the pod says why.',
}
const REFUSED = 'Pods can not be created; the ReplicaFailure condition of the Deployment says why.'

/** Returns why a Deployment has too few ready pods; undefined: no cause is seen. */
export function unreadyCause(
  failure: PodFailure | undefined,
  deployment: ObservedDeployment | undefined,
): string | undefined {
  if (failure !== undefined) return FAILURES[failure]
  return deployment?.refused === true ? REFUSED : undefined
}
