import type { ObservedDeployment, PodFailure } from '../model/snapshot.ts'

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
