import type { LlmGateway } from '@llm-gateway/crds'
import type { Snapshot } from '../../snapshot.ts'
import type { KubeObject } from '../kube-object.ts'
import { type KeySource, readKey } from '../variables/read-key.ts'
import { busObjects } from './bus-objects.ts'
import { gatewayObjects } from './gateway-objects.ts'
import { networkPolicies } from './network-policies.ts'
import { busKeys, gatewayKeys } from './template-keys.ts'

export type MadeObjects = {
  /** To be applied in this order. */
  readonly objects: readonly KubeObject[]
  /** Their template refers to what isn't there: what runs of them stays as it is (kubernetes, 3). */
  readonly withheld: readonly KubeObject[]
}

/** Everything that is made of an LLMGateway itself; processors aside. */
export function makeObjects({ gateway, sources, defaultImage }: Snapshot): MadeObjects {
  const image = gateway.spec.image === '' ? defaultImage : gateway.spec.image
  // Policies first: no pod of ours is ever open to everybody.
  const made = [...networkPolicies(gateway), ...busObjects(gateway, image), ...gatewayObjects(gateway, image)]
  const isResolved = (object: KubeObject): boolean =>
    templateKeys(object, gateway).every((key) => readKey(key, sources).kind === 'value')
  return { objects: made.filter(isResolved), withheld: made.filter((object) => !isResolved(object)) }
}

function templateKeys({ kind }: KubeObject, gateway: LlmGateway): readonly KeySource[] {
  if (kind === 'StatefulSet') return busKeys(gateway)
  return kind === 'Deployment' ? gatewayKeys(gateway) : []
}
