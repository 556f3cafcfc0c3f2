import type { ObservedDeployment, ObservedPod, PodFailure } from '../model/snapshot.ts'
import type { Verdict } from './set-condition.ts'

/** After this time a pod that lags makes `PodsLagging` (docs/reference/kubernetes.md#reasons). */
const LAG_COUNTS_MS = 30_000

export type Programming = {
  readonly pods: readonly ObservedPod[]
  /** Whether a pod has it; undefined: it didn't say. */
  readonly has: (pod: ObservedPod) => boolean | undefined
  /** Whether a pod was given it and said no. */
  readonly rejects?: (pod: ObservedPod) => boolean
  /** It was Programmed already, in this generation. */
  readonly wasProgrammed: boolean
  /** Nothing is written for the gateway: what a pod hasn't got it won't get. */
  readonly paused: boolean
}

/**
 * Whether every ready pod has something. Unreachable is Unknown, never False. Pods are counted only where all have it: else
 * each of them that comes along would write all statuses anew.
 */
export function judgePods({ pods, has, rejects = () => false, wasProgrammed, paused }: Programming): Verdict {
  const ready = pods.filter((pod) => pod.ready)
  if (ready.length === 0) return { status: 'False', reason: 'NoReadyPods', message: 'No pod of the gateway is ready.' }
  if (ready.some(rejects)) return { status: 'False', reason: 'RejectedByGateway', message: 'A ready pod rejects it.' }
  const missing = ready.filter((pod) => has(pod) !== true)
  const message = `In use by ${ready.length - missing.length} of ${ready.length} ready pods.`
  if (missing.length === 0) return { status: 'True', reason: 'Programmed', message }
  const late = missing.filter((pod) => pod.lagMs >= LAG_COUNTS_MS)
  if (late.length === 0 && wasProgrammed) return { status: 'True', reason: 'Programmed', message }
  if (late.some(({ report }) => report.kind === 'reported' && report.reloadFailed === true)) {
    return { status: 'False', reason: 'RejectedByGateway', message: 'A ready pod can not load the configuration.' }
  }
  if (paused && missing.some(({ report }) => report.kind === 'reported')) {
    return { status: 'False', reason: 'Pending', message: 'Not every ready pod has it, and the gateway is paused.' }
  }
  if (late.some(({ report }) => report.kind === 'reported')) {
    return { status: 'False', reason: 'PodsLagging', message: 'A ready pod has something older for 30 s or more.' }
  }
  if (missing.some(({ report }) => report.kind === 'unreachable')) {
    return { status: 'Unknown', reason: 'PodsUnreachable', message: 'A ready pod does not answer.' }
  }
  return { status: 'False', reason: 'Pending', message: 'Not every ready pod has it yet.' }
}

/**
 * Whether enough pods of a Deployment are ready. Just after an edit its status is still that of the template before: the pods it
 * tells of run on, so that nothing flaps. Scaled to nothing a Deployment calls itself available; nobody serves then.
 */
export function isServing(deployment: ObservedDeployment | undefined): boolean {
  if (deployment === undefined || deployment.readyReplicas === 0) return false
  return deployment.available || deployment.wasAvailable === true
}

/** Kubernetes' own words stay where they are: they may hold anything. */
const FAILURES: Readonly<Record<PodFailure, string>> = {
  image: 'The image of a pod can not be pulled.',
  crash: 'A pod ends again and again; its log says why.',
  place: 'No node takes a pod; its PodScheduled condition says why.',
}
const REFUSED = "Pods can not be made; the Deployment's ReplicaFailure condition says why."

/** Why a Deployment has too few pods that are ready, as far as that is seen. */
export function whyNoPods(
  failure: PodFailure | undefined,
  deployment: ObservedDeployment | undefined,
): string | undefined {
  if (failure !== undefined) return FAILURES[failure]
  return deployment?.refused === true ? REFUSED : undefined
}
