import type { LlmGateway } from '@llm-gateway/crds'
import { keyOf } from '@llm-gateway/kube'
import type { ClusterState } from '../kube/cluster-state.ts'
import { namesOf } from '../model/names.ts'
import type { Translation } from '../translate/translate.ts'

type Caches = Pick<ClusterState, 'deployments' | 'metadata'>

/** Returns whether every pod of a gateway runs the template that is wanted now. */
export function isRolledOut(
  { metadata: { namespace, name } }: LlmGateway,
  { withheld }: Pick<Translation, 'withheld'>,
  caches: Caches,
): boolean {
  const deployment = namesOf({ name }).gateway
  const isWithheld = withheld.some((object) => object.kind === 'Deployment' && object.metadata.name === deployment)
  return !isWithheld && runsNewest(caches, keyOf({ namespace, name: deployment }))
}

/** Returns whether every pod of a Deployment runs the template that was applied last. */
export function runsNewest({ deployments, metadata }: Caches, key: string): boolean {
  const seen = deployments.get(key)
  // The watch may not have brought the last apply yet: the cached status would describe the old template.
  const written = metadata.get('Deployment')?.get(key)?.metadata.generation ?? 0
  if (seen === undefined || seen.metadata.generation < written) return false
  return seen.observed.available && seen.observed.updatedReplicas === seen.observed.replicas
}
