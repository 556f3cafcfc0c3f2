import type { UpstreamCode } from '../errors.ts'

const byCode: ReadonlyMap<string, UpstreamCode> = new Map([
  ['ECONNREFUSED', 'UPSTREAM_REFUSED'],
  ['ENOTFOUND', 'UPSTREAM_NOT_FOUND'],
  ['EAI_AGAIN', 'UPSTREAM_NOT_FOUND'],
  ['EAI_FAIL', 'UPSTREAM_NOT_FOUND'],
  ['EAI_NODATA', 'UPSTREAM_NOT_FOUND'],
  ['EAI_NONAME', 'UPSTREAM_NOT_FOUND'],
  ['ENETUNREACH', 'UPSTREAM_NOT_FOUND'],
  ['EHOSTUNREACH', 'UPSTREAM_NOT_FOUND'],
  ['EADDRNOTAVAIL', 'UPSTREAM_NOT_FOUND'],
  ['ETIMEDOUT', 'UPSTREAM_TIMEOUT'],
  ['UND_ERR_CONNECT_TIMEOUT', 'UPSTREAM_TIMEOUT'],
  ['UND_ERR_HEADERS_TIMEOUT', 'UPSTREAM_TIMEOUT'],
  ['UND_ERR_BODY_TIMEOUT', 'UPSTREAM_TIMEOUT'],
  ['UND_ERR_HEADERS_OVERFLOW', 'UPSTREAM_PROTOCOL'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'UPSTREAM_PROTOCOL'],
  ['UND_ERR_SOCKET', 'UPSTREAM_RESET'],
  ['UND_ERR_CLOSED', 'UPSTREAM_RESET'],
  ['ECONNRESET', 'UPSTREAM_RESET'],
  ['ECONNABORTED', 'UPSTREAM_RESET'],
  ['EPIPE', 'UPSTREAM_RESET'],
  ['UPSTREAM_DENIED', 'UPSTREAM_DENIED'],
  ['UPSTREAM_REFUSED', 'UPSTREAM_REFUSED'],
  ['UPSTREAM_PROTOCOL', 'UPSTREAM_PROTOCOL'],
  ['EPROTO', 'UPSTREAM_TLS'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'UPSTREAM_TLS'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'UPSTREAM_TLS'],
  ['HOSTNAME_MISMATCH', 'UPSTREAM_TLS'],
])

const byPrefix: readonly (readonly [string, UpstreamCode])[] = [
  ['HPE_', 'UPSTREAM_PROTOCOL'],
  ['ERR_SSL', 'UPSTREAM_TLS'],
  ['ERR_TLS', 'UPSTREAM_TLS'],
  ['ERR_OSSL', 'UPSTREAM_TLS'],
  ['CERT_', 'UPSTREAM_TLS'],
  ['CRL_', 'UPSTREAM_TLS'],
  ['UNABLE_TO_', 'UPSTREAM_TLS'],
  ['INVALID_', 'UPSTREAM_TLS'],
]

/** Returns our code of a connection's error, judged by its `code` and never by its message. */
export function upstreamCode(error: unknown): UpstreamCode {
  const codes = codesOf(error)
  for (const code of codes) {
    const known = byCode.get(code) ?? byPrefix.find(([prefix]) => code.startsWith(prefix))?.[1]
    if (known !== undefined) return known
  }
  return 'UPSTREAM_PROTOCOL'
}

/** Returns the error's own code, then those of its attempts (several addresses), then its cause's. */
function codesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return []
  const own = 'code' in error && typeof error.code === 'string' ? [error.code] : []
  const inner = error instanceof AggregateError ? error.errors.flatMap(codesOf) : []
  return [...own, ...inner, ...(error.cause === undefined ? [] : codesOf(error.cause))]
}
