import { z } from 'zod'
import { TOKEN } from './primitives.ts'

/** Headers of one connection (RFC 9110, 7.6.1) and those that frame a message; lower case. */
export const FRAMING_NAMES: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Headers that can't carry the session id, besides `Content-*`; lower case. */
const RESERVED_NAMES = [...FRAMING_NAMES, 'date', 'host', 'proxy-authenticate', 'proxy-authorization', 'set-cookie']

/** A name for `session_id_header`: a token without another meaning in an answer (docs/reference/gl-config.md). */
export const sessionHeaderName = z
  .string()
  .regex(freeToken(), { error: ({ input }) => (TOKEN.test(String(input)) ? 'reserved_header:' : 'header:') })

/** Returns a pattern that matches both cases, since JSON Schema has no flag for that. */
function freeToken(): RegExp {
  const reserved = RESERVED_NAMES.filter((name) => !name.startsWith('content-')).map(eitherCase)
  return new RegExp(`^(?!(?:${reserved.join('|')})$|${eitherCase('content-')})${TOKEN.source.slice(1)}`)
}

function eitherCase(name: string): string {
  return name.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)
}
