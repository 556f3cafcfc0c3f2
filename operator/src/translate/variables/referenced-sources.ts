import type { Router } from '@llm-gateway/crds'
import { type KeySource, keySourceOf } from './read-key.ts'

/** Those that a Router names itself. */
export function routerSources({ metadata, spec }: Router): readonly KeySource[] {
  return (spec.env ?? []).flatMap((entry) => keySourceOf(entry, metadata.namespace) ?? [])
}
