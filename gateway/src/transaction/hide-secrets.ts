import { MASKED } from '@llm-gateway/protocol'
import { MOST_ADDRESS_SECRETS } from '../config/address-secrets.ts'

/** A shorter secret may be a part of another text by chance; it is found between separators only. */
const LONG_SECRET = 8
/** Of an address, and of a list of addresses as in Link. */
const SEPARATORS = /[/?&=#;,<>" ]/
const PIECES = /[^/?&=#;,<>" ]+/g
/** An address within the parameter of an address within a parameter has its escapes escaped twice. */
const MOST_DECODINGS = 3

/** Each kind keeps the order of the secrets. */
type Secrets = {
  readonly long: readonly string[]
  /** Short ones that are whole pieces. */
  readonly short: ReadonlySet<string>
  /** Short ones that hold a separator. */
  readonly shortAcross: readonly string[]
}

/**
 * Returns an address in which each piece with a secret is masked, escaped or not. Where a secret stands across pieces, or
 * deep in another address, the whole address is masked. `secrets` are sorted, the longest first.
 */
export function hideSecrets(address: string, secrets: readonly string[]): string {
  if (secrets.length > MOST_ADDRESS_SECRETS) return MASKED
  const kinds = byKind(secrets)
  let text = address
  for (const secret of kinds.long) if (SEPARATORS.test(secret)) text = text.replaceAll(secret, MASKED)
  for (const secret of kinds.shortAcross) text = maskAlone(text, secret)
  text = text.replace(PIECES, (piece) => (holdsSecret(piece, kinds) ? MASKED : piece))
  return holdsSecret(text, kinds) ? MASKED : text
}

function byKind(secrets: readonly string[]): Secrets {
  const short = secrets.filter(({ length }) => length < LONG_SECRET)
  return {
    long: secrets.filter(({ length }) => length >= LONG_SECRET),
    short: new Set(short.filter((secret) => !SEPARATORS.test(secret))),
    shortAcross: short.filter((secret) => SEPARATORS.test(secret)),
  }
}

/** Masks each place where the secret stands between separators. */
function maskAlone(text: string, secret: string): string {
  let masked = ''
  let from = 0
  for (let at = indexAlone(text, secret, 0); at >= 0; at = indexAlone(text, secret, from)) {
    masked += text.slice(from, at) + MASKED
    from = at + secret.length
  }
  return from === 0 ? text : masked + text.slice(from)
}

/** Returns the first place, from `start` on, where the secret stands between separators, or -1. */
function indexAlone(text: string, secret: string, start: number): number {
  const isBorder = (character: string): boolean => character === '' || SEPARATORS.test(character)
  for (let at = text.indexOf(secret, start); at >= 0; at = text.indexOf(secret, at + 1)) {
    if (isBorder(text.charAt(at - 1)) && isBorder(text.charAt(at + secret.length))) return at
  }
  return -1
}

function holdsSecret(text: string, secrets: Secrets): boolean {
  const { long, short, shortAcross } = secrets
  let decoded = text
  for (let decodings = 0; ; decodings += 1) {
    const searched = decoded
    if (long.some((secret) => searched.includes(secret))) return true
    if (shortAcross.some((secret) => indexAlone(searched, secret, 0) >= 0)) return true
    if (short.size > 0 && decoded.split(SEPARATORS).some((piece) => short.has(piece))) return true
    if (decodings === MOST_DECODINGS || !decoded.includes('%')) return false
    decoded = decodeOnce(decoded)
  }
}

/** Decodes each escape by itself: a broken one elsewhere, which the caller may have sent, must not hide a secret. */
function decodeOnce(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString())
}
