import type { LlmGateway } from '@llm-gateway/crds'
import type { Snapshot } from '../../../model/snapshot.ts'
import { type KeySource, keySourceOf, sourceOf } from '../../variables/read-key.ts'
import { distinctNames } from '../../variables/split-references.ts'
import { authorityKeys } from '../tls.ts'
import type { Sink } from './sink-kinds.ts'

/** Returns the references in a sink's env. */
export function sinkKeys({ kind, env = [] }: Sink, { metadata }: Pick<LlmGateway, 'metadata'>): readonly KeySource[] {
  return env.flatMap((entry) => keySourceOf(entry, metadata.namespace, `record.sinks.${kind}.env`) ?? [])
}

/** Returns the versions of a sink's references: a sink reads its environment and its authorities only at its start. */
export function sinkVersions(sink: Sink, gateway: LlmGateway, sources: Snapshot['sources']): readonly string[] {
  return [...sinkKeys(sink, gateway), ...authorityKeys(gateway)].map((key) => {
    const source = sources.get(sourceOf(key))
    return source?.kind === 'found' ? (source.version ?? '') : ''
  })
}

export type UndefinedName = { readonly reason: 'KeyNotFound'; readonly detail: string }

/** Finds names that a sink's settings use and its env lacks: the sink would start with an empty text. */
export function undefinedNames({ env = [], ...sink }: Sink): readonly UndefinedName[] {
  const defined = new Set(env.map(({ name }) => name))
  const used = distinctNames(sink)
  return [...used]
    .filter((name) => !defined.has(name))
    .map((name) => ({
      reason: 'KeyNotFound',
      detail: `record.sinks.${sink.kind} refers to ${name}, which its env does not define`,
    }))
}
