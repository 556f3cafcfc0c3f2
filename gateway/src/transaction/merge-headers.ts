import { MASKED } from '@llm-gateway/protocol'
import { Header, type HeaderMap, hopByHop, isHeaderName, isHeaderValue } from '../http/headers.ts'

/**
 * A processor's header map, merged with the headers that the processor can't change; `errors` says why names were
 * dropped.
 */
export type MergedHeaders = { readonly headers: HeaderMap; readonly errors: readonly string[] }

/** Names that the gateway sets itself, and Expect, with which undici refuses a call. */
const ownNames: ReadonlySet<string> = new Set(['host', 'content-length', 'expect'])

/**
 * Merges a written map, which replaces the whole set of headers (docs/reference/bus.md#fields-with-an-effect).
 * `isProtected` names (masked, session, the body's coding) keep their values, and so do headers that are written as they
 * are shown. Placeholders are ignored without an error. Hop-by-hop names, Host, Content-Length, Expect and invalid headers
 * are dropped with an error. Returns undefined where the value isn't a map.
 */
export function mergeHeaders(
  value: unknown,
  current: HeaderMap,
  isProtected: (lower: string) => boolean,
): MergedHeaders | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const headers = new Map<string, Header>()
  const errors = new NamedErrors()
  for (const header of current.values()) if (isProtected(header.lower)) headers.set(header.lower, header)
  for (const [name, values] of Object.entries(value)) {
    const lower = name.toLowerCase()
    const list = stringList(values)
    const shown = current.get(lower)
    // A processor that writes back an address as it saw it, with masks, keeps the address.
    const isUnchanged = shown !== undefined && list !== undefined && areEqual(list, shown.shownValues)
    if (isPlaceholder(values) && !isUnchanged) continue
    if (hopByHop.has(lower) || ownNames.has(lower)) errors.push(`not allowed: ${printable(name)}`)
    else if (isProtected(lower)) continue
    else if (list === undefined || !isHeaderName(name) || !list.every(isHeaderValue))
      errors.push(`invalid: ${printable(name)}`)
    else headers.set(lower, isUnchanged ? shown : new Header(lower, list))
  }
  return { headers, errors: errors.all }
}

/** A map of thousands of refused names would fill records, and memory until the call ends. */
const MAX_NAMED_ERRORS = 16

/** The errors of the first refused names, and the number of the others. */
class NamedErrors {
  readonly #named: string[] = []
  #others = 0

  get all(): readonly string[] {
    return this.#others === 0 ? this.#named : [...this.#named, `invalid: ${this.#others} more`]
  }

  push(details: string): void {
    if (this.#named.length < MAX_NAMED_ERRORS) this.#named.push(details)
    else this.#others += 1
  }
}

export const jsonContentType = new Header('content-type', ['application/json'])

/**
 * Returns the headers of a changed payload: with its new type, without coding and ETag of the original
 * (docs/reference/bus.md#fields-with-an-effect).
 */
export function payloadHeaders(headers: HeaderMap, contentType: Header | undefined): HeaderMap {
  const changed = new Map(headers)
  changed.delete('content-encoding')
  changed.delete('etag')
  if (contentType !== undefined) changed.set('content-type', contentType)
  return changed
}

function areEqual(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((text, index) => text === others[index])
}

function isPlaceholder(values: unknown): boolean {
  return Array.isArray(values) && values.includes(MASKED)
}

/** Returns an array of strings as it is, a single string as an array; undefined for other values. */
export function stringList(values: unknown): readonly string[] | undefined {
  if (typeof values === 'string') return [values]
  if (!Array.isArray(values)) return undefined
  const list = values.filter((entry) => typeof entry === 'string')
  return list.length === values.length && list.length > 0 ? list : undefined
}

/** Makes a name from outside short and printable for an error text. */
function printable(name: string): string {
  return name.slice(0, 64).replace(/[^\x20-\x7e]/g, '?')
}
