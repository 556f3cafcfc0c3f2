import { MASKED } from '@llm-gateway/protocol'
import type { RouteTarget } from '../config/runtime-config.ts'
import { Header, type HeaderMap } from '../http/headers.ts'
import { decodeParameter, parseQuery } from '../http/query.ts'
import { quote, quoteAll } from '../json/quote.ts'
import { type Mask, maskedQuery } from './mask.ts'

/** The headers of an answer that hold an address, as lower-case names. */
const LOCATIONS = ['location', 'content-location'] as const
/** A longer address is masked as a whole: a search for hundreds of secrets in it would take long. */
const LONGEST_ADDRESS = 8 * 1024
/** A shorter secret may be a part of another text by chance. */
const LONG_SECRET = 8
const SEPARATORS = /[/?&=#;]/
const PIECES = /[^/?&=#;]+/g
/** An address within the parameter of an address within a parameter has its escapes escaped twice. */
const MOST_DECODINGS = 3

/** A header that records and processors see with further masks than the caller. */
class ShownHeader extends Header {
  readonly #shown: readonly string[]

  constructor(lower: string, values: readonly string[], shown: readonly string[]) {
    super(lower, values)
    this.#shown = shown
  }

  override get json(): string {
    return `${quote(this.canonical)}:${quoteAll(this.#shown)}`
  }
}

/**
 * Returns an answer's headers with masks in addresses. An LLM API that redirects, from http to https say, mostly repeats
 * the request's address, with a key that the caller must not have. So the router's secrets are masked for everybody, by
 * their values. Records and processors see other masked parameters masked too, by their names
 * (docs/reference/record.md#masks).
 */
export function maskLocations(headers: HeaderMap, target: RouteTarget, mask: Mask): HeaderMap {
  if (!LOCATIONS.some((name) => headers.has(name))) return headers
  const secrets = secretsOf(target, mask)
  const masked = new Map(headers)
  for (const name of LOCATIONS) {
    const written = headers.get(name)?.values
    if (written === undefined) continue
    const isLong = written.reduce((sum, value) => sum + value.length, 0) > LONGEST_ADDRESS
    const hidden = written.map(() => MASKED)
    const values = secrets.size === 0 ? written : isLong ? hidden : written.map((text) => withoutSecrets(text, secrets))
    const shown = isLong ? hidden : values.map((text) => withMaskedNames(text, mask))
    masked.set(name, new ShownHeader(name, values, shown))
  }
  return masked
}

/** Returns the secrets in the router's addresses, as they are sent and decoded. */
function secretsOf(target: RouteTarget, mask: Mask): ReadonlySet<string> {
  const { urlPath, shownUrlPath, endpointPath = '', shownEndpointPath = '' } = target
  const shown = new Set(`${shownUrlPath}/${shownEndpointPath}`.split('/'))
  const segments = `${urlPath}/${endpointPath}`.split('/').filter((segment) => !shown.has(segment))
  const secrets = new Set(segments.flatMap((segment) => [segment, decodeParameter(segment)]))
  for (const { raw, name, value } of target.query) {
    if (!mask.masksParameter(name)) continue
    if (value !== '') secrets.add(value).add(raw.slice(raw.indexOf('=') + 1))
    if (mask.shownParameter(name) !== name) secrets.add(name)
  }
  return secrets
}

function withoutSecrets(address: string, secrets: ReadonlySet<string>): string {
  let text = address
  for (const secret of secrets)
    if (secret.length >= LONG_SECRET && SEPARATORS.test(secret)) text = text.replaceAll(secret, MASKED)
  const long = [...secrets].filter((secret) => secret.length >= LONG_SECRET)
  return text.replace(PIECES, (piece) => (holdsSecret(piece, secrets, long) ? MASKED : piece))
}

function holdsSecret(piece: string, secrets: ReadonlySet<string>, long: readonly string[]): boolean {
  let text = piece
  for (let decodings = 0; decodings <= MOST_DECODINGS; decodings += 1) {
    if (secrets.has(text)) return true
    if (text.length > LONG_SECRET && long.some((secret) => text.includes(secret))) return true
    const decoded = decodeParameter(text)
    if (decoded === text) return false
    text = decoded
  }
  return false
}

function withMaskedNames(address: string, mask: Mask): string {
  const [, path, query, fragment] = /^([^?#]*)\?([^#]*)(.*)$/s.exec(address) ?? []
  return query === undefined ? address : `${path}?${maskedQuery(parseQuery(query), mask)}${fragment}`
}
