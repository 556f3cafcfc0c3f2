import type { EnvEntry, LlmGateway } from '@llm-gateway/crds'
import { type KeySource, keySourceOf } from '../variables/read-key.ts'

/** What the pods of a gateway refer to: a template is applied when all of it is there. */
export function gatewayKeys({ metadata, spec }: LlmGateway): readonly KeySource[] {
  return [...keysOf(spec.env ?? [], metadata.namespace), ...busKeys({ metadata, spec })]
}

/** What whoever uses the bus refers to; the generated token is there before any template is. */
export function busKeys({ metadata, spec }: Pick<LlmGateway, 'metadata' | 'spec'>): readonly KeySource[] {
  const { tokenSecretRef } = spec.bus
  return tokenSecretRef === undefined
    ? []
    : [{ namespace: metadata.namespace, kind: 'Secret', reference: tokenSecretRef }]
}

/** Everything that a gateway names, whoever reads it. */
export function allKeys(gateway: LlmGateway): readonly KeySource[] {
  const { metadata, spec } = gateway
  return [...gatewayKeys(gateway), ...keysOf(spec.sharedEnv ?? [], metadata.namespace)]
}

function keysOf(entries: readonly EnvEntry[], namespace: string): readonly KeySource[] {
  return entries.flatMap((entry) => keySourceOf(entry, namespace) ?? [])
}
