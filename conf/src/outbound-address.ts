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

/** A query parameter that a reference fills. */
export type FilledParameter = {
  /** The name as it is sent, with its escapes. */
  readonly rawName: string
  /** True where the reference fills the name too: the file doesn't have the name as text. */
  readonly isNameFilled: boolean
}

/**
 * Returns the query parameters that contain a reference: those that the expansion adds or changes. The queries are
 * compared, since a whole url may be a reference.
 */
export function filledParameters(written: string, expanded: string): readonly FilledParameter[] {
  if (written === expanded) return []
  const plain = new Set(query(written))
  const names = new Set([...plain].map(rawName))
  return query(expanded)
    .filter((parameter) => !plain.has(parameter))
    .map((parameter) => ({ rawName: rawName(parameter), isNameFilled: !names.has(rawName(parameter)) }))
}

/** Returns the number of an address's query parameters. */
export function countParameters(text: string): number {
  return query(text).length
}

function query(text: string): readonly string[] {
  const at = text.indexOf('?')
  return at === -1 ? [] : text.slice(at + 1).split('&')
}

function rawName(parameter: string): string {
  const [name = ''] = parameter.split('=', 1)
  return name
}
