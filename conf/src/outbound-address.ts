/** A name or an address, IPv6 in brackets, with an optional port. */
export const HOST_AND_PORT = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)(:\d{1,5})?$/
const VISIBLE_ASCII = /^[\x21-\x7e]*$/

/**
 * Returns true for an absolute http(s) address without a fragment. Path and query are sent as written, so that they
 * must be visible ASCII.
 */
export function isHttpUrl(text: string): boolean {
  return VISIBLE_ASCII.test(text) && /^https?:\/\/[^/?]/i.test(text) && !/[#\\]/.test(text) && URL.canParse(text)
}

/**
 * Returns true for a path with an optional query that can be appended to an address
 * (docs/reference/configuration-rules.md#routers-in-the-file).
 */
export function isEndpoint(text: string): boolean {
  if (!VISIBLE_ASCII.test(text) || /[#\\]/.test(text)) return false
  const [path = ''] = text.split('?', 1)
  const decoded = decode(path)
  return decoded !== undefined && !decoded.split(/[/\\]/).some((segment) => segment === '.' || segment === '..')
}

function decode(path: string): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(path)) return undefined
  // Decodes byte by byte: escapes that aren't UTF-8 are allowed, escapes of NUL, CR and LF aren't.
  const decoded = path.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return /[\0\r\n]/.test(decoded) ? undefined : decoded
}

/**
 * Returns the names of query parameters that contain a reference: those that the expansion adds or changes. The parsed
 * queries are compared, since a whole url may be a reference.
 */
export function changedParameters(written: string, expanded: string): readonly string[] {
  if (written === expanded) return []
  const plain = new Set(query(written).map(([name, value]) => JSON.stringify([name, value])))
  return query(expanded)
    .filter(([name, value]) => !plain.has(JSON.stringify([name, value])))
    .map(([name]) => name)
}

function query(text: string): readonly (readonly [string, string])[] {
  const at = text.indexOf('?')
  return at === -1 ? [] : [...new URLSearchParams(text.slice(at + 1))]
}
