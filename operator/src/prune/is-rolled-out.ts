import type { LlmGateway } from '@llm-gateway/crds'
import type { ClusterState } from '../kube/cluster-state.ts'
import { keyOf } from '../kube/store.ts'
import { namesOf } from '../translate/names.ts'
import type { Translation } from '../translate/translate.ts'

/** Whether every pod of a gateway runs the template that is wanted now. */
export function isRolledOut(
  { metadata: { namespace, name } }: LlmGateway,
  { withheld }: Pick<Translation, 'withheld'>,
  { deployments, metadata }: Pick<ClusterState, 'deployments' | 'metadata'>,
): boolean {
  const deployment = namesOf({ name }).gateway
  const key = keyOf({ namespace, name: deployment })
  const seen = deployments.get(key)
  // What we applied a moment ago may not have come back yet: its status would still be that of the old template.
  const written = metadata.get('Deployment')?.get(key)?.metadata.generation ?? 0
  const isWithheld = withheld.some((object) => object.kind === 'Deployment' && object.metadata.name === deployment)
  if (seen === undefined || seen.metadata.generation < written || isWithheld) return false
  return seen.observed.available && seen.observed.updatedReplicas === seen.observed.replicas
}
