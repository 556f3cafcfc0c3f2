import type { Router } from '@llm-gateway/crds'
import type { Snapshot, Source } from '../../model/snapshot.ts'
import { findVariable } from '../variables/find-variable.ts'
import { sourceOf } from '../variables/read-key.ts'
import { nameOf } from '../variables/resolve-reference.ts'
import { namesIn } from '../variables/split-references.ts'
import { VALUE_REFERENCE } from '../variables/write-literal.ts'
import { type BuiltEntry, works } from './build-entry.ts'

/**
 * Returns stand-ins for a Router's unread sources, with the texts that its live entry uses. The names of an address's
 * values hold its origin, which the live entry tells.
 */
export function liveSources(router: Router, live: BuiltEntry, snapshot: Snapshot): ReadonlyMap<string, Source> {
  const texts = new Map<string, Map<string, string>>()
  if (!works(live)) return new Map()
  const origin = originOf(live)
  const { ingress, outbound } = router.spec
  for (const name of new Set(namesIn([ingress, outbound]))) {
    const variable = findVariable(name, router, snapshot)
    if (variable.kind !== 'key' || !isUnread(snapshot.sources.get(sourceOf(variable.key)))) continue
    const { key } = variable
    const text = live.values.get(nameOf(key, router, origin)) ?? live.values.get(nameOf(key, router, undefined))
    if (text === undefined) continue
    const known = texts.get(sourceOf(key)) ?? new Map<string, string>()
    texts.set(sourceOf(key), known.set(key.reference.key, text))
  }
  return new Map([...texts].map(([source, values]) => [source, { kind: 'found', type: '', values }]))
}

function isUnread(source: Source | undefined): boolean {
  return source?.kind === 'failed' || source?.kind === 'pending'
}

function originOf({ entry, values }: BuiltEntry): string | undefined {
  if (!('outbound' in entry)) return undefined
  return URL.parse(entry.outbound.url.replace(VALUE_REFERENCE, (_, name) => values.get(name) ?? ''))?.origin
}
