import type { Processor } from '@llm-gateway/crds'
import { type KeySource, keySourceOf } from '../variables/read-key.ts'

/** The keys of Secrets and ConfigMaps that a Processor's pods refer to. */
export function processorKeys({ metadata, spec }: Processor): readonly KeySource[] {
  return (spec.env ?? []).flatMap((entry) => keySourceOf(entry, metadata.namespace) ?? [])
}
