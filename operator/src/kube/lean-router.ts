import type { Router } from '@llm-gateway/crds'
import { MAX_ENTRY_CHARACTERS } from '../translate/variables/resolve-field.ts'
import { namesIn } from '../translate/variables/split-references.ts'

const MAX_VALUE = 4_096
const VALUES = MAX_ENTRY_CHARACTERS / MAX_VALUE + 1
/** Stands for the headers of every Router that is too large; one object, whatever their number. */
const TOO_LARGE = { 'X-Too-Large': Array.from({ length: VALUES }, () => 'x'.repeat(MAX_VALUE)) }

/**
 * Returns a Router without texts that no gateway ever gets. A Router may have 1.5 MiB, and the operator keeps all
 * Routers of the cluster. One that is too large for an entry keeps what its status and its path need, and headers that
 * are too large as well; others lose unused values of `env`.
 */
export function leanRouter(router: Router): Router {
  const { ingress, outbound, env = [], ...spec } = router.spec
  const used = new Set(env.length === 0 ? [] : namesIn([ingress, outbound]))
  const kept = env.filter(({ name, value }) => value === undefined || used.has(name))
  const values = kept.map(({ value }) => value)
  // Each used value is in the entry at least once. The texts and the values aren't added up, since texts hold names.
  if (Math.max(textLength([ingress, outbound]), textLength(values)) > MAX_ENTRY_CHARACTERS)
    return { ...router, spec: { ...spec, outbound: { url: outbound.url, headers: TOO_LARGE } } }
  return kept.length === env.length ? router : { ...router, spec: { ...router.spec, env: kept } }
}

/** Counts the characters of all texts. The JSON has more. */
function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, one) => sum + textLength(one), 0)
}
