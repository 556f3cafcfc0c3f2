import { type Behaviour, NOT_FOUND } from './behaviour.ts'

/**
 * Lists the differences between two configurations: `gl_config.log_level: "DEBUG" → "INFO"`. Values of headers and URLs
 * are never shown. `causes` gives by key why a router doesn't work.
 */
export function differencesBetween(
  before: Behaviour,
  after: Behaviour,
  causes: ReadonlyMap<string, string>,
): readonly string[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])].filter((key) => !isStricter(key, before, after))
  return keys.flatMap((key) => {
    const was = before.get(key)
    const is = after.get(key)
    if (was === undefined) return [`${key}: is added`]
    if (is === undefined) return [`${key}: is left out`]
    if (key.startsWith('router ') && (isHeld(is) || isHeld(was)))
      return heldDifference(key, { was, is, cause: causes.get(key) })
    const parts = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((part) => was[part] !== is[part])
    return parts.map((part) => `${key}: ${sentence(part, was[part], is[part])}`)
  })
}

/** Returns whether the operator denies an address or masks a header beyond the file, as it does for every gateway. */
function isStricter(key: string, before: Behaviour, after: Behaviour): boolean {
  return /^gl_config\.(masked_headers|outbound_deny)\./.test(key) && !before.has(key) && after.has(key)
}

/** Returns whether a router only holds its path. */
function isHeld(parts: Parts): boolean {
  return parts.callers === NOT_FOUND && Object.keys(parts).length === 1
}

/** Compares routers of which one only holds its path. Two ways of holding a path are no difference to callers. */
function heldDifference(key: string, { was, is, cause }: HeldPath): readonly string[] {
  if (isHeld(was)) return is.callers === NOT_FOUND ? [] : [`${key}: its callers got 404, now they are served`]
  return [`${key}: it only holds its path, its callers get 404${cause === undefined ? '' : ` (${cause})`}`]
}

type HeldPath = { readonly was: Parts; readonly is: Parts; readonly cause: string | undefined }

type Parts = Readonly<Record<string, string>>

function sentence(part: string, was: string | undefined, is: string | undefined): string {
  if (/^(ingress|outbound|url|endpoint)/.test(part)) return `${part} differs`
  return `${part === 'value' ? '' : `${part}: `}${shown(was)} → ${shown(is)}`
}

function shown(value: string | undefined): string {
  return value === undefined || value === '' ? 'nothing' : value
}
