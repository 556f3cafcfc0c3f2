import type { EnvEntry, LlmGateway } from '@llm-gateway/crds'
import { type KeySource, keySourceOf } from '../variables/read-key.ts'
import { sinkKeys } from './sinks/sink-keys.ts'
import { sinksOf } from './sinks/sink-kinds.ts'
import { authorityKeys, ingressKeys } from './tls.ts'
import { webKeys } from './web/web-keys.ts'

/** Returns the references of a gateway's pods. */
export function gatewayKeys(gateway: LlmGateway): readonly KeySource[] {
  const { metadata, spec } = gateway
  return [
    ...keysOf(spec.env ?? [], metadata.namespace),
    ...busKeys(gateway),
    ...ingressKeys(gateway),
    ...authorityKeys(gateway),
  ]
}

/** Returns the references of every program on the bus. A generated token exists before any template. */
export function busKeys({ metadata, spec }: LlmGateway): readonly KeySource[] {
  const { tokenSecretRef } = spec.bus
  return tokenSecretRef === undefined
    ? []
    : [{ field: 'bus.tokenSecretRef', namespace: metadata.namespace, kind: 'Secret', reference: tokenSecretRef }]
}

/** Returns all references of a gateway, whichever program reads them. */
export function allKeys(gateway: LlmGateway): readonly KeySource[] {
  return [
    ...gatewayKeys(gateway),
    ...sinksOf(gateway).flatMap((sink) => sinkKeys(sink, gateway)),
    ...sharedKeys(gateway),
    ...webKeys(gateway),
  ]
}

/** Returns the references that the gateway shares with its Routers. */
export function sharedKeys({ metadata, spec }: LlmGateway): readonly KeySource[] {
  return keysOf(spec.sharedEnv ?? [], metadata.namespace, 'sharedEnv')
}

function keysOf(entries: readonly EnvEntry[], namespace: string, list = 'env'): readonly KeySource[] {
  return entries.flatMap((entry) => keySourceOf(entry, namespace, list) ?? [])
}
