import type { Processor, Router } from '@llm-gateway/crds'
import { keyOf, type Stored } from '@llm-gateway/kube'
import { GATEWAY_POD_LABEL } from './kube-object.ts'

/** Returns the key of the gateway that a Router names. */
export function gatewayKeyOf({ metadata, spec }: Router): string {
  return keyOf({ namespace: spec.gatewayRef.namespace ?? metadata.namespace, name: spec.gatewayRef.name })
}

/** Returns the key of the gateway that a Processor names, in the Processor's namespace. */
export function gatewayKeyOfProcessor({ metadata, spec }: Processor): string {
  return keyOf({ namespace: metadata.namespace, name: spec.gatewayRef.name })
}

/** Returns the key of the gateway that a pod belongs to. Without the label its name is empty. */
export function gatewayKeyOfPod({ metadata: { namespace, labels } }: Stored): string {
  return keyOf({ namespace, name: labels[GATEWAY_POD_LABEL] ?? '' })
}
