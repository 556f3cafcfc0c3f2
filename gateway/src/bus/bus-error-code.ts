/**
 * The reason why the bus is unreachable or disconnected. The codes are our own, since a library's text may quote a
 * token or a path.
 */
export type BusErrorCode =
  | 'BUS_REFUSED'
  | 'BUS_NOT_FOUND'
  | 'BUS_TIMEOUT'
  | 'BUS_UNAUTHORIZED'
  | 'BUS_TLS'
  | 'BUS_STALE'
  | 'BUS_MAX_PAYLOAD'
  | 'BUS_CLOSED'
  | 'BUS_FAILED'

const CODES: ReadonlyMap<string, BusErrorCode> = new Map([
  ['CONNECTION_REFUSED', 'BUS_REFUSED'],
  ['ECONNREFUSED', 'BUS_REFUSED'],
  ['ENOTFOUND', 'BUS_NOT_FOUND'],
  ['EAI_AGAIN', 'BUS_NOT_FOUND'],
  ['EHOSTUNREACH', 'BUS_NOT_FOUND'],
  ['ENETUNREACH', 'BUS_NOT_FOUND'],
  ['TIMEOUT', 'BUS_TIMEOUT'],
  ['CONNECTION_TIMEOUT', 'BUS_TIMEOUT'],
  ['ETIMEDOUT', 'BUS_TIMEOUT'],
  ['AUTHORIZATION_VIOLATION', 'BUS_UNAUTHORIZED'],
  ['AUTHENTICATION_EXPIRED', 'BUS_UNAUTHORIZED'],
  ['AUTHENTICATION_TIMEOUT', 'BUS_UNAUTHORIZED'],
  ['ACCOUNT_EXPIRED', 'BUS_UNAUTHORIZED'],
  ['TLS', 'BUS_TLS'],
  ['SERVER_OPT_NA', 'BUS_TLS'],
  ['EPROTO', 'BUS_TLS'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'BUS_TLS'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'BUS_TLS'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'BUS_TLS'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'BUS_TLS'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'BUS_TLS'],
  ['CERT_HAS_EXPIRED', 'BUS_TLS'],
  ['CERT_NOT_YET_VALID', 'BUS_TLS'],
  ['STALE_CONNECTION', 'BUS_STALE'],
  ['ECONNRESET', 'BUS_CLOSED'],
  ['EPIPE', 'BUS_CLOSED'],
])

/** Returns the code of an error; `BUS_CLOSED` for undefined, which means that the server closed the connection. */
export function busErrorCode(error: unknown): BusErrorCode {
  if (error === undefined || error === null) return 'BUS_CLOSED'
  const code = codeOf(error)
  return CODES.get(code) ?? (/^(ERR_TLS|ERR_SSL|ERR_OSSL)/.test(code) ? 'BUS_TLS' : 'BUS_FAILED')
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
