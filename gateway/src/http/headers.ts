import { quote, quoteAll } from '../json/quote.ts'

/** A header of a message: its name and all values in order. */
export class Header {
  readonly canonical: string
  readonly lower: string
  readonly values: readonly string[]
  #json: string | undefined

  constructor(lower: string, values: readonly string[], canonical = canonicalName(lower)) {
    this.canonical = canonical
    this.lower = lower
    this.values = values
  }

  /** The values that records and processors see. */
  get shownValues(): readonly string[] {
    return this.values
  }

  /** `"Name":["value"]`; cached, since a forwarded header appears in two maps of a record. */
  get json(): string {
    this.#json ??= `${quote(this.canonical)}:${quoteAll(this.shownValues)}`
    return this.#json
  }
}

/** A message's headers by lower-case name, in the order of their first occurrence. */
export type HeaderMap = ReadonlyMap<string, Header>

/** Hop-by-hop headers (RFC 9110, 7.6.1) and headers that a proxy must not forward. */
export const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'proxy-authenticate',
  'proxy-authorization',
])

/** Reads node's flat list `[name, value, name, value, …]`. Host is left out as a part of the target. */
export function readHeaders(rawHeaders: readonly string[]): HeaderMap {
  const headers = new Map<string, Header>()
  let repeated: Map<string, string[]> | undefined
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const lower = (rawHeaders[i] ?? '').toLowerCase()
    if (lower === 'host') continue
    const value = rawHeaders[i + 1] ?? ''
    const header = headers.get(lower)
    if (header === undefined) {
      headers.set(lower, new Header(lower, [value]))
      continue
    }
    repeated ??= new Map()
    const values = repeated.get(lower)
    if (values === undefined) repeated.set(lower, [...header.values, value])
    else values.push(value)
  }
  for (const [lower, values] of repeated ?? []) headers.set(lower, new Header(lower, values))
  return headers
}

/** A cache of names, which differ little between messages. The bounds (64 KB of text) limit hostile callers. */
const knownNames = new Map<string, string>()
const maxKnownNames = 500
const longestKnownName = 64

const HYPHEN = 0x2d
/** The ASCII codes of lower-case letters, and their distance to the capitals. */
const LETTERS = { first: 0x61, last: 0x7a, toCapital: 0x20 } as const

/** Converts `x-api-key` to `X-Api-Key`, the form of names in records (docs/reference/record.md#shared-forms). */
export function canonicalName(lower: string): string {
  const known = knownNames.get(lower)
  if (known !== undefined) return known
  const name = withCapitals(lower)
  if (knownNames.size < maxKnownNames && lower.length <= longestKnownName) knownNames.set(lower, name)
  return name
}

/** A name of 58 KB of hyphens and letters takes 5 ms if a regular expression replaces each of its letters. */
function withCapitals(lower: string): string {
  const bytes = Buffer.from(lower, 'latin1')
  let beginsWord = true
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (beginsWord && byte >= LETTERS.first && byte <= LETTERS.last) bytes[at] = byte - LETTERS.toCapital
    beginsWord = byte === HYPHEN
  }
  return bytes.toString('latin1')
}

/** The characters of the longest Connection that is read; real programs send a tenth of it. */
const LONGEST_CONNECTION = 1024

/**
 * Returns true for a Connection header that is too long to be read. Its message must not be forwarded, since the
 * headers that the list names would be forwarded too (docs/reference/http.md#headers-to-the-llm-api).
 */
export function isLongConnection(values: string | readonly string[]): boolean {
  if (typeof values === 'string') return values.length > LONGEST_CONNECTION
  // The values count with the commas between them, so that thousands of empty values are too long, too.
  return values.reduce((length, value) => length + value.length + 1, -1) > LONGEST_CONNECTION
}

const none: ReadonlySet<string> = new Set()
const keepAliveOnly: ReadonlySet<string> = new Set(['keep-alive'])

/**
 * Returns the lower-case names that the Connection header lists; most lists are empty or `keep-alive`. A message whose
 * list is too long has been refused before (`isLongConnection`).
 */
export function connectionNames(headers: HeaderMap): ReadonlySet<string> {
  const connection = headers.get('connection')
  if (connection === undefined) return none
  if (connection.values.length === 1 && connection.values[0] === 'keep-alive') return keepAliveOnly
  const names = new Set<string>()
  for (const value of connection.values) for (const name of value.split(',')) names.add(name.trim().toLowerCase())
  return names
}

/** Returns true for a token, the only form of a header's name that node and other servers accept. */
export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)
}

export function isHeaderValue(value: string): boolean {
  return !/[^\t\x20-\x7e\x80-\xff]/.test(value)
}
