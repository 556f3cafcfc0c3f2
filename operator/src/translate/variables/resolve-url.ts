import type { Router } from '@llm-gateway/crds'
import type { Snapshot } from '../../model/snapshot.ts'
import { resolveField } from './resolve-field.ts'
import type { Resolved } from './write-literal.ts'

export type ResolvedUrl = Resolved & {
  /** undefined: it is no address, or not known. */
  readonly url: URL | undefined
}

/** A Router's outbound.url: what says where it leads is bound to where it led when it was judged. */
export function resolveUrl(router: Router, snapshot: Snapshot): ResolvedUrl {
  const field = {
    at: 'outbound.url',
    text: router.spec.outbound.url,
    masked: false,
    destination: { kind: 'elsewhere' },
  } as const
  const loose = resolveField(field, router, snapshot)
  const url = loose.problems.length > 0 ? undefined : (URL.parse(loose.resolved) ?? undefined)
  if (url === undefined) return { ...loose, url }
  return { ...resolveField({ ...field, origin: url.origin }, router, snapshot), url }
}
