import { MASKED } from '@llm-gateway/protocol'
import { Header, type HeaderMap } from '../http/headers.ts'
import { parseQuery } from '../http/query.ts'
import { hideSecrets } from './hide-secrets.ts'
import { type Mask, maskedQuery } from './mask.ts'

/** The headers of an answer that hold an address, as lower-case names. */
const LOCATIONS = ['location', 'content-location'] as const
/** Other headers may repeat the router's address, too; where it has no secrets, these headers pass as they are. */
const ALL_LOCATIONS = [...LOCATIONS, 'operation-location', 'link', 'refresh'] as const
/**
 * The most characters of these headers of an answer together. A header beyond them is masked as a whole: a search for
 * secrets, and masks in place of short texts, take much.
 */
const MOST_SEARCHED = 8 * 1024

/** A header that records and processors see with further masks than the caller. */
class ShownHeader extends Header {
  readonly #shown: readonly string[]

  constructor(lower: string, values: readonly string[], shown: readonly string[]) {
    super(lower, values)
    this.#shown = shown
  }

  override get shownValues(): readonly string[] {
    return this.#shown
  }
}

/**
 * Returns an answer's headers with masks in addresses. An LLM API that redirects, from http to https say, mostly repeats
 * the request's address, with a key that the caller must not have. So the router's secrets are masked for everybody, by
 * their values. Records and processors see other masked parameters masked too, by their names, and no user-info
 * (docs/reference/record.md#masks).
 */
export function maskLocations(headers: HeaderMap, secrets: readonly string[], mask: Mask): HeaderMap {
  const names = secrets.length === 0 ? LOCATIONS : ALL_LOCATIONS
  if (!names.some((name) => headers.has(name))) return headers
  const masked = new Map(headers)
  let room = MOST_SEARCHED
  for (const name of names) {
    const written = headers.get(name)?.values
    if (written === undefined) continue
    const values = secrets.length === 0 ? written : mapShort(written, room, (address) => hideSecrets(address, secrets))
    const shown = mapShort(values, room, (address) => withMaskedNames(address, mask))
    masked.set(name, new ShownHeader(name, values, shown))
    if (fit(written, room)) room -= lengthOf(written)
  }
  return masked
}

/** Maps addresses; where they don't fit into `room`, before or after, each becomes MASKED. */
function mapShort(addresses: readonly string[], room: number, change: (address: string) => string): readonly string[] {
  const changed = fit(addresses, room) ? addresses.map(change) : undefined
  return changed !== undefined && fit(changed, room) ? changed : addresses.map(() => MASKED)
}

function fit(addresses: readonly string[], room: number): boolean {
  return lengthOf(addresses) <= room
}

function lengthOf(addresses: readonly string[]): number {
  return addresses.reduce((sum, { length }) => sum + length, 0)
}

function withMaskedNames(address: string, mask: Mask): string {
  const masked = (parameters: string): string => maskedQuery(parseQuery(parameters), mask)
  const [, path = '', query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(address) ?? []
  const shownPath = path.replace(/^([^/]*\/\/)[^/@]*(?:@[^/@]*)*@/, `$1${MASKED}@`)
  return `${shownPath}${query === undefined ? '' : `?${masked(query)}`}${fragment === undefined ? '' : `#${masked(fragment)}`}`
}
