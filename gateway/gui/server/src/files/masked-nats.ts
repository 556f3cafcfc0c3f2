import { MASKED } from '@llm-gateway/gui-api'
import type { MaskedText, SecretSources, Unmasked } from './masked-json.ts'
import { natsParts } from './nats-text.ts'

type Span = { readonly start: number; readonly end: number }

const SECRET_KEY = /(?:token|password|pass|passphrase|secret|seed|jwt|key|ek)$/
/** `$2a$` begins a bcrypt hash, not a reference. */
const REFERENCE = /^\$(?!2a\$)/
/** Comments are mostly prose, so a secret in one needs a key and a separator before it. */
const COMMENTED =
  /(?:token|password|pass|passphrase|secret|seed|jwt|key|ek)["']?[^\S\n]{0,9}[:=][^\S\n]{0,9}([^\s$][^\n]*)/i
const USER = /:\/\/([^/?#\s]*)@/g
const MASKED_WORD = `"${MASKED}"`

/** Masks the secrets of nats-server.conf. They are identified by their order, because the file has no paths. */
export function maskNats(text: string): MaskedText {
  const spans = secretSpans(text)
  const shown = spans.map(({ start }, index) => text.slice(spans[index - 1]?.end ?? 0, start))
  return { text: [...shown, text.slice(spans.at(-1)?.end ?? 0)].join(MASKED_WORD), paths: [] }
}

/** Puts the secrets back in their order. Refuses a text in which one of them would not be masked again. */
export function unmaskNats(text: string, { own: source }: SecretSources): Unmasked {
  const masks = text.split(MASKED_WORD)
  if (masks.length === 1 && !text.includes(MASKED)) return { kind: 'text', text }
  const secrets = secretSpans(source).map(({ start, end }) => source.slice(start, end))
  if (masks.length - 1 === secrets.length && !masks.some((part) => part.includes(MASKED))) {
    const next = masks.map((part, index) => part + (secrets[index] ?? '')).join('')
    const hidden = new Set(secretSpans(next).map(({ start, end }) => `${start} ${end}`))
    let at = 0
    const isHidden = secrets.every((secret, index) => {
      const start = at + (masks[index] ?? '').length
      at = start + secret.length
      return hidden.has(`${start} ${at}`)
    })
    if (isHidden) return { kind: 'text', text: next }
  }
  const message = 'The masks are not in the places of the file’s secrets. Write the values or references such as $NAME.'
  return { kind: 'nowhere', fields: [{ path: [], message }] }
}

/** Finds the values of secret keys, the values that these refer to, and the user-info of addresses, in order. */
function secretSpans(text: string): readonly Span[] {
  const { values, comments } = natsParts(text)
  const referred = new Set(
    values.flatMap(({ written }) => (REFERENCE.test(written) ? [written.slice(1).toLowerCase()] : [])),
  )
  const whole = ({ key, written }: { readonly key: string; readonly written: string }) =>
    (SECRET_KEY.test(key) || referred.has(key)) && !/^[{[]/.test(written) && !REFERENCE.test(written)
  const spans = values.flatMap((value) => (whole(value) ? [value] : usersIn(text, value)))
  return [...spans, ...comments.flatMap((comment) => commentedSecrets(text, comment))].toSorted(
    (one, other) => one.start - other.start,
  )
}

function usersIn(text: string, { start, end }: Span): readonly Span[] {
  return [...text.slice(start, end).matchAll(USER)].flatMap(({ index, 1: user = '' }) =>
    user === '' ? [] : [{ start: start + index + 3, end: start + index + 3 + user.length }],
  )
}

function commentedSecrets(text: string, { start, end }: Span): readonly Span[] {
  const comment = text.slice(start, end)
  const found = COMMENTED.exec(comment)
  if (found === null) return usersIn(text, { start, end })
  const at = start + found.index + found[0].length - (found[1] ?? '').length
  return [...usersIn(text, { start, end: at }), { start: at, end }]
}
