import type { LlmGateway, Router } from '@llm-gateway/crds'
import { type KeySource, keySourceOf } from './read-key.ts'

/** The Secrets and ConfigMaps that a gateway names: for its pods, and for Routers to share. */
export function gatewaySources({ metadata, spec }: LlmGateway): readonly KeySource[] {
  const { namespace } = metadata
  const entries = [...(spec.env ?? []), ...(spec.sharedEnv ?? [])].flatMap(
    (entry) => keySourceOf(entry, namespace) ?? [],
  )
  const { tokenSecretRef } = spec.bus
  return tokenSecretRef === undefined ? entries : [...entries, { namespace, kind: 'Secret', reference: tokenSecretRef }]
}

/** Those that a Router names itself. */
export function routerSources({ metadata, spec }: Router): readonly KeySource[] {
  return (spec.env ?? []).flatMap((entry) => keySourceOf(entry, metadata.namespace) ?? [])
}
