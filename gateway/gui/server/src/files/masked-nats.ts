import { MASKED } from '@llm-gateway/gui-api'
import type { MaskedText, SecretSources, Unmasked } from './masked-json.ts'

/** A key that holds a secret with its value, or the user-info of an address; a value that begins with `$` is a reference. */
const SECRET =
  /((?:^|[\s{,;])["']?(?:token|password|pass|secret|nkey|seed|jwt|key|auth_token)["']?\s*[:=]?\s*)(?!\$|\{)("[^"\n]*"|'[^'\n]*'|[^\s{},;#"'[\]]+)|(:\/\/)([^/@\s"'$]+)(?=@)/gim

/** nats-server.conf without its secrets. It has no path of its own to tell places by: they are told by their order. */
export function maskNats(text: string): MaskedText {
  return { text: text.replace(SECRET, (_, key, __, scheme) => (key ?? scheme) + MASKED_WORD), paths: [] }
}

const MASKED_WORD = `"${MASKED}"`

/** Puts the secrets back, the first mask's the first. */
export function unmaskNats(text: string, { own: source }: SecretSources): Unmasked {
  const masks = text.split(MASKED_WORD)
  if (masks.length === 1 && !text.includes(MASKED)) return { kind: 'text', text }
  const secrets = [...source.matchAll(SECRET)].map(([, , value, , user]) => value ?? user ?? '')
  if (masks.length - 1 !== secrets.length || masks.some((part) => part.includes(MASKED))) {
    const message = 'The masked texts are others than those of the file: write the values or references such as $NAME.'
    return { kind: 'nowhere', fields: [{ path: [], message }] }
  }
  return { kind: 'text', text: masks.reduce((all, part, index) => all + part + (secrets[index] ?? ''), '') }
}
