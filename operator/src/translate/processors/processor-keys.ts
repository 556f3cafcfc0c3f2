import type { Processor } from '@llm-gateway/crds'
import type { Snapshot } from '../../model/snapshot.ts'
import { type KeySource, keySourceOf, sourceOf } from '../variables/read-key.ts'

/** The keys of Secrets and ConfigMaps that a Processor's pods refer to. */
export function processorKeys({ metadata, spec }: Processor): readonly KeySource[] {
  return (spec.env ?? []).flatMap((entry) => keySourceOf(entry, metadata.namespace) ?? [])
}

/** Versions of what they refer to: a program reads its environment at its start only, so that a rotated key starts it anew. */
export function processorVersions(processor: Processor, sources: Snapshot['sources']): readonly string[] {
  return processorKeys(processor).map((key) => {
    const source = sources.get(sourceOf(key))
    return source?.kind === 'found' ? (source.version ?? '') : ''
  })
}
