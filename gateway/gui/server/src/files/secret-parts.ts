import { referencedNames } from '@llm-gateway/conf/editor'
import { type FieldPath, MASKED } from '@llm-gateway/gui-api'

/** Names whose values are never shown, in lower case. */
export type SecretNames = { readonly headers: ReadonlySet<string>; readonly parameters: ReadonlySet<string> }

/** A string split at its secret parts: there is one more of `texts` than of `parts`. */
export type SplitText = { readonly texts: readonly string[]; readonly parts: readonly string[] }

/** Matches secret keys of files and names of headers, with `-` replaced by `_`. */
const SECRET_KEY =
  /(^|_)(secret|token|password|passwd|passphrase|pass|api_?key|key|shared_?key|account_?key|private_?key|credential|credentials|auth|authorization|cookie)$/i
/** Matches the scheme before a secret in a header, which reveals nothing. */
const SCHEME = /^\s*(?:(?:bearer|basic|token|apikey|key|aws4-hmac-sha256)\s*)?$/i
const REFERENCE = /\$\{[A-Za-z_][A-Za-z0-9_]*\}|^\$[A-Za-z_][A-Za-z0-9_]*$/g

/** Finds the hidden parts of a string: the literal of a secret, or user-info and secret parameters of an address. */
export function secretParts(path: FieldPath, value: string, names: SecretNames): SplitText {
  const whole = { texts: [value], parts: [] }
  if (value === '') return whole
  if (isSecretPlace(path, names)) return isOpenHeader(value) ? whole : { texts: ['', ''], parts: [value] }
  return splitAddress(value, names.parameters)
}

export function maskParts({ texts, parts }: SplitText): string {
  return texts.reduce((all, text, index) => all + text + (index < parts.length ? MASKED : ''), '')
}

/** Returns whether all parts of a split, put into its texts, stay hidden at a place. */
export function staysHidden(split: SplitText, path: FieldPath, names: SecretNames): boolean {
  const hidden = spansOf(secretParts(path, joinParts(split), names))
  return spansOf(split).every(({ start, end }) => hidden.some((span) => span.start <= start && end <= span.end))
}

export function joinParts({ texts, parts }: SplitText): string {
  return texts.reduce((all, text, index) => all + text + (parts[index] ?? ''), '')
}

function spansOf({ texts, parts }: SplitText): readonly { readonly start: number; readonly end: number }[] {
  let end = 0
  return parts.map((part, index) => {
    const start = end + (texts[index] ?? '').length
    end = start + part.length
    return { start, end }
  })
}

/**
 * Returns whether a string belongs to a secret key or header. All values of a header count, whatever stands in its
 * list.
 */
function isSecretPlace(path: FieldPath, { headers }: SecretNames): boolean {
  const keys = path.filter((key) => typeof key === 'string')
  const header = keys[keys.indexOf('headers') + 1]
  const name = keys.includes('headers') ? header : keys.at(-1)
  if (name === undefined) return false
  if (name === header && headers.has(name.toLowerCase())) return true
  return SECRET_KEY.test(name.replaceAll('-', '_'))
}

/**
 * Returns whether a header's value may be shown: references with a scheme before them, and the pattern that accepts any
 * value.
 */
function isOpenHeader(value: string): boolean {
  if (value === 'regex:.+') return true
  return referencedNames(value).length > 0 && SCHEME.test(value.replaceAll(REFERENCE, ''))
}

function splitAddress(value: string, parameters: ReadonlySet<string>): SplitText {
  const texts: string[] = []
  const parts: string[] = []
  let at = 0
  const found = /(:\/\/)([^/?#]*)@|([?&;])([^=?&#;\s]+)=([^&#;\s]*)/g
  for (const match of value.matchAll(found)) {
    const [all, scheme, user, , name = '', given = ''] = match
    const secret = scheme === undefined ? (isParameter(name, parameters) ? given : '') : (user ?? '')
    if (secret === '' || isReference(secret)) continue
    const start = match.index + (scheme === undefined ? all.length - given.length : scheme.length)
    texts.push(value.slice(at, start))
    parts.push(secret)
    at = start + secret.length
  }
  return { texts: [...texts, value.slice(at)], parts }
}

function isParameter(name: string, parameters: ReadonlySet<string>): boolean {
  const read = new URLSearchParams(`${name}=`).keys().next().value ?? name
  return parameters.has(read.toLowerCase()) || SECRET_KEY.test(read.replaceAll('-', '_'))
}

function isReference(text: string): boolean {
  return referencedNames(text).length > 0 && text.replaceAll(REFERENCE, '').replaceAll(':', '') === ''
}
