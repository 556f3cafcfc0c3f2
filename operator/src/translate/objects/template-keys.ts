import type { EnvEntry, LlmGateway } from '@llm-gateway/crds'
import { type KeySource, keySourceOf } from '../variables/read-key.ts'
import { sinkKeys } from './sinks/sink-keys.ts'
import { sinksOf } from './sinks/sink-kinds.ts'
import { authorityKeys, ingressKeys } from './tls.ts'
import { webKeys } from './web/web-keys.ts'

/** What the pods of a gateway refer to. */
export function gatewayKeys(gateway: LlmGateway): readonly KeySource[] {
  const { metadata, spec } = gateway
  return [
    ...keysOf(spec.env ?? [], metadata.namespace),
    ...busKeys(gateway),
    ...ingressKeys(gateway),
    ...authorityKeys(gateway),
  ]
}

/** What whoever uses the bus refers to; the generated token is there before any template is. */
export function busKeys({ metadata, spec }: LlmGateway): readonly KeySource[] {
  const { tokenSecretRef } = spec.bus
  return tokenSecretRef === undefined
    ? []
    : [{ namespace: metadata.namespace, kind: 'Secret', reference: tokenSecretRef }]
}

/** Everything that a gateway names, whoever reads it. */
export function allKeys(gateway: LlmGateway): readonly KeySource[] {
  return [
    ...gatewayKeys(gateway),
    ...sinksOf(gateway).flatMap((sink) => sinkKeys(sink, gateway)),
    ...sharedKeys(gateway),
    ...webKeys(gateway),
  ]
}

/** What Routers read by the names that it shares. */
export function sharedKeys({ metadata, spec }: LlmGateway): readonly KeySource[] {
  return keysOf(spec.sharedEnv ?? [], metadata.namespace)
}

function keysOf(entries: readonly EnvEntry[], namespace: string): readonly KeySource[] {
  return entries.flatMap((entry) => keySourceOf(entry, namespace) ?? [])
}
