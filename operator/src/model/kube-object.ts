import { API_VERSION, GROUP, type ObjectMeta } from '@llm-gateway/crds'

/** An object to be applied, as JSON. */
export type KubeObject = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly labels: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly ownerReferences: readonly OwnerReference[]
    /** Of the one that is there, where no other is meant. */
    readonly uid?: string
  }
  readonly [field: string]: unknown
}

/** Which object it is. */
export type ObjectPlace = Pick<KubeObject, 'kind' | 'metadata'>

export type OwnerReference = {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller: true
}

export const COMPONENT_LABEL = 'app.kubernetes.io/component'
const MANAGED_BY = { 'app.kubernetes.io/managed-by': 'llm-gateway-operator' } as const

const COMPONENTS = ['gateway', 'bus', 'processor', 'sink', 'web'] as const
export type Component = (typeof COMPONENTS)[number]

/** Metadata of what belongs to a gateway. */
export function ownedMetadata(owner: ObjectMeta, name: string, component: Component): KubeObject['metadata'] {
  return {
    name,
    namespace: owner.namespace,
    labels: {
      'app.kubernetes.io/name': 'llm-gateway',
      'app.kubernetes.io/instance': owner.name,
      [COMPONENT_LABEL]: component,
      ...MANAGED_BY,
    },
    ownerReferences: [
      { apiVersion: API_VERSION, kind: 'LLMGateway', name: owner.name, uid: owner.uid, controller: true },
    ],
  }
}

/** What an object is a part of; undefined: we didn't make it. */
export function componentOf(labels: Readonly<Record<string, string>>): Component | undefined {
  const isOurs = Object.entries(MANAGED_BY).every(([label, value]) => labels[label] === value)
  return isOurs ? COMPONENTS.find((component) => component === labels[COMPONENT_LABEL]) : undefined
}

/** On the pods of a gateway and nothing else: autoscalers and the nudge find them by it. */
export const GATEWAY_POD_LABEL = `${GROUP}/gateway`
export const BUS_POD_LABEL = `${GROUP}/bus`
export const WEB_POD_LABEL = `${GROUP}/web`
/** On everything that is made for a Processor: its name. */
export const PROCESSOR_LABEL = `${GROUP}/processor`
