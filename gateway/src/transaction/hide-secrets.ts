import { MASKED } from '@llm-gateway/protocol'
import { MOST_ADDRESS_SECRETS } from '../config/address-secrets.ts'

/** A shorter secret may be a part of another text by chance; it is found between separators only. */
const LONG_SECRET = 8
/** Of an address, and of a list of addresses as in Link. */
const SEPARATORS = /[/?&=#;,<>" ]/
const PIECES = /[^/?&=#;,<>" ]+/g
/** An address within the parameter of an address within a parameter has its escapes escaped twice. */
const MOST_DECODINGS = 3

/**
 * Returns an address in which each piece with a secret is masked, escaped or not. Where a secret stands across pieces, or
 * deep in another address, the whole address is masked. `secrets` are sorted, the longest first.
 */
export function hideSecrets(address: string, secrets: readonly string[]): string {
  if (secrets.length > MOST_ADDRESS_SECRETS) return MASKED
  const long = secrets.filter(({ length }) => length >= LONG_SECRET)
  const short = new Set(secrets.filter(({ length }) => length < LONG_SECRET))
  let text = address
  for (const secret of long) if (SEPARATORS.test(secret)) text = text.replaceAll(secret, MASKED)
  text = text.replace(PIECES, (piece) => (holdsSecret(piece, long, short) ? MASKED : piece))
  return holdsSecret(text, long, short) ? MASKED : text
}

function holdsSecret(text: string, long: readonly string[], short: ReadonlySet<string>): boolean {
  let decoded = text
  for (let decodings = 0; ; decodings += 1) {
    if (long.some((secret) => decoded.includes(secret))) return true
    if (short.size > 0 && decoded.split(SEPARATORS).some((piece) => short.has(piece))) return true
    if (decodings === MOST_DECODINGS || !decoded.includes('%')) return false
    decoded = decodeOnce(decoded)
  }
}

/** Decodes each escape by itself: a broken one elsewhere, which the caller may have sent, must not hide a secret. */
function decodeOnce(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString())
}
