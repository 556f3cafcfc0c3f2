import type { Router } from '@llm-gateway/crds'
import { NO_ROOM } from '../translate/routers/no-room.ts'
import { MAX_ENTRY_CHARACTERS } from '../translate/variables/resolve-field.ts'
import { namesIn } from '../translate/variables/split-references.ts'

const MAX_VALUE = 4_096
const VALUES = MAX_ENTRY_CHARACTERS / MAX_VALUE + 1
/** Stands for the headers of every Router that is too large; one object, whatever their number. */
const TOO_LARGE = { 'X-Too-Large': Array.from({ length: VALUES }, () => 'x'.repeat(MAX_VALUE)) }

/**
 * Returns a Router without texts that no gateway ever gets. A Router may have 1.5 MiB, and the operator keeps all
 * Routers of the cluster. One that is too large for an entry keeps what its status and its path need, and headers that
 * are too large as well; others lose unused entries of `env`, so that nobody reads the keys to which these refer.
 */
export function leanRouter(router: Router): Router {
  const { ingress, outbound, env = [] } = router.spec
  // The texts are measured before they are split: 1.4 MiB of references take a quarter of a second.
  if (textLength([ingress, outbound]) > MAX_ENTRY_CHARACTERS) return tooLarge(router)
  const used = new Set(env.length === 0 ? [] : namesIn([ingress, outbound]))
  const kept = env.filter(({ name }) => used.has(name))
  // Each used value is in the entry at least once. The texts and the values aren't added up, since texts hold names.
  const values = kept.map(({ value }) => value)
  const references = kept.map(({ valueFrom }) => valueFrom)
  if (Math.max(textLength(values), textLength(references)) > MAX_ENTRY_CHARACTERS) return tooLarge(router)
  return kept.length === env.length ? router : { ...router, spec: { ...router.spec, env: kept } }
}

/** Counts what a Router takes in the caches. */
export function roomOfRouter({ spec: { ingress, outbound, env } }: Router): number {
  if (outbound.headers === TOO_LARGE) return 0
  return textLength([ingress, outbound, env], TEXT_CHARACTERS)
}

/** Returns a Router with what its status and its path need, for a namespace without room. */
export function routerWithoutRoom(router: Router): Router {
  return withHeaders(router, NO_ROOM)
}

function tooLarge(router: Router): Router {
  return withHeaders(router, TOO_LARGE)
}

function withHeaders(router: Router, headers: Router['spec']['outbound']['headers']): Router {
  const { ingress: _, outbound, env: __, ...spec } = router.spec
  return { ...router, spec: { ...spec, outbound: { url: outbound.url, headers } } }
}

/** A text has an object and a place in another one, beside its characters. */
const TEXT_CHARACTERS = 64

/** Counts the characters of all texts, and some for each of them. The JSON has more. */
function textLength(value: unknown, each = 0): number {
  if (typeof value === 'string') return value.length + each
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, one) => sum + textLength(one, each), 0)
}
