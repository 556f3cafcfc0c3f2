import { Header, type HeaderMap } from '../http/headers.ts'

/** The headers of an answer as undici reads them. */
export type IncomingHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Returns names and values in turn, as undici writes them. */
export function flatHeaders(headers: HeaderMap): string[] {
  const flat: string[] = []
  for (const header of headers.values()) for (const value of header.values) flat.push(header.canonical, value)
  return flat
}

export function inboundHeaders(headers: IncomingHeaders): HeaderMap {
  const map = new Map<string, Header>()
  for (const lower of Object.keys(headers)) {
    const values = headers[lower]
    if (values !== undefined) {
      map.set(lower, new Header(lower, typeof values === 'string' ? [trimmed(values)] : values.map(trimmed)))
    }
  }
  return map
}

const SPACE = 0x20
const TAB = 0x09

/** Removes the white space behind a header's value, which is no part of the value (RFC 9110, 5.5). */
function trimmed(value: string): string {
  let end = value.length
  while (value.charCodeAt(end - 1) === SPACE || value.charCodeAt(end - 1) === TAB) end -= 1
  return value.slice(0, end)
}
