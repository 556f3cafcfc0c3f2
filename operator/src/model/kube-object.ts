import { API_VERSION, CONFIG_ANNOTATION, GATEWAY_LABEL, GROUP, type ObjectMeta } from '@llm-gateway/crds'
import type { OwnedMetadata } from './manifest.ts'

/** An object that the operator applies, in the form in which the API server returns it (`asStored`). */
export type KubeObject = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: OwnedMetadata
  readonly [field: string]: unknown
}

/** The kind, namespace and name of an object. */
export type ObjectHead = Pick<KubeObject, 'kind' | 'metadata'>

const APP_LABEL = 'app.kubernetes.io/name'
export const INSTANCE_LABEL = 'app.kubernetes.io/instance'
export const COMPONENT_LABEL = 'app.kubernetes.io/component'
const MANAGED_BY = { 'app.kubernetes.io/managed-by': 'llm-gateway-operator' } as const

const COMPONENTS = ['gateway', 'bus', 'processor', 'sink', 'web'] as const
export type Component = (typeof COMPONENTS)[number]

/** Makes the metadata of an object that belongs to a gateway. */
export function ownedMetadata(owner: ObjectMeta, name: string, component: Component): OwnedMetadata {
  return {
    name,
    namespace: owner.namespace,
    labels: {
      [APP_LABEL]: 'llm-gateway',
      [INSTANCE_LABEL]: owner.name,
      [COMPONENT_LABEL]: component,
      ...MANAGED_BY,
    },
    ownerReferences: [
      { apiVersion: API_VERSION, kind: 'LLMGateway', name: owner.name, uid: owner.uid, controller: true },
    ],
  }
}

/** Returns the component that an object belongs to; undefined where its labels name no component of the operator. */
export function componentOf(labels: Readonly<Record<string, string>>): Component | undefined {
  const isOurs = Object.entries(MANAGED_BY).every(([label, value]) => labels[label] === value)
  return isOurs ? COMPONENTS.find((component) => component === labels[COMPONENT_LABEL]) : undefined
}

/** The label of gateway pods, with the gateway's name; autoscalers and the operator find the pods by it. */
export const GATEWAY_POD_LABEL = GATEWAY_LABEL
export const BUS_POD_LABEL = `${GROUP}/bus`
export const WEB_POD_LABEL = `${GROUP}/web`
/** The label on all objects of a Processor, with the Processor's name. */
export const PROCESSOR_LABEL = `${GROUP}/processor`
/** The label that a ServiceMonitor selects. */
export const METRICS_LABEL = `${GROUP}/metrics`

/** The annotation with the fingerprint of the applied object. */
export const APPLIED_ANNOTATION = `${GROUP}/applied`
/** Annotation of a bus's StatefulSet: the server's version, where no resource names the image. */
export const SERVER_VERSION = `${GROUP}/nats-server`
/** Annotation of a bus's StatefulSet: the image, once a pod with it was ready. */
export const PROVEN_IMAGE = `${GROUP}/bus-image`

/** All labels that the metadata of our objects and the labels of their pods may need in the operator's caches. */
export const OWN_LABELS: readonly string[] = [
  APP_LABEL,
  INSTANCE_LABEL,
  COMPONENT_LABEL,
  ...Object.keys(MANAGED_BY),
  GATEWAY_POD_LABEL,
  PROCESSOR_LABEL,
  METRICS_LABEL,
]
/** The annotations that the operator writes to the metadata of its objects and to pods. */
export const OWN_ANNOTATIONS: readonly string[] = [APPLIED_ANNOTATION, CONFIG_ANNOTATION, SERVER_VERSION, PROVEN_IMAGE]
