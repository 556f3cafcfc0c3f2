import { quote, quoteAll } from '../json/quote.ts'

/** One header of a message: its names and all its values in their order. */
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

  /** `"Name":["value"]`; made once, since a header that passes stands in two maps of a record. */
  get json(): string {
    this.#json ??= `${quote(this.canonical)}:${quoteAll(this.values)}`
    return this.#json
  }
}

/** A message's headers by lower-case name, in the order they first came. */
export type HeaderMap = ReadonlyMap<string, Header>

/** Hop-by-hop headers (RFC 9110, 7.6.1), and those a proxy must not pass on. */
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

/** Reads node's flat list `[name, value, name, value, …]`; Host is part of the target, not of the headers. */
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

/** Header names differ little between messages; the bounds are for hostile ones: 64 KB of text in all. */
const knownNames = new Map<string, string>()
const mostKnownNames = 500
const longestKnownName = 64

/** `x-api-key` → `X-Api-Key`, as records write names of headers (docs/reference/record.md#shared-forms). */
export function canonicalName(lower: string): string {
  const known = knownNames.get(lower)
  if (known !== undefined) return known
  const name = lower.replace(/(^|-)([a-z])/g, (_, hyphen: string, letter: string) => hyphen + letter.toUpperCase())
  if (knownNames.size < mostKnownNames && lower.length <= longestKnownName) knownNames.set(lower, name)
  return name
}

const none: ReadonlySet<string> = new Set()
const keepAliveOnly: ReadonlySet<string> = new Set(['keep-alive'])

/** The lower-case names that a Connection header lists; nearly always it is none or `keep-alive`. */
export function connectionNames(headers: HeaderMap): ReadonlySet<string> {
  const connection = headers.get('connection')
  if (connection === undefined) return none
  if (connection.values.length === 1 && connection.values[0] === 'keep-alive') return keepAliveOnly
  const names = new Set<string>()
  for (const value of connection.values) for (const name of value.split(',')) names.add(name.trim().toLowerCase())
  return names
}

/** Whether node and every server would take these as a header: a token, and no control characters in the value. */
export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)
}

export function isHeaderValue(value: string): boolean {
  return !/[^\t\x20-\x7e\x80-\xff]/.test(value)
}
