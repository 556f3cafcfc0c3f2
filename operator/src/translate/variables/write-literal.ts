import { createHash } from 'node:crypto'
import type { Router } from '@llm-gateway/crds'
import type { Resolved } from './resolve-field.ts'
import { valueName } from './value-name.ts'

export type LiteralPlace = {
  /** Field below spec, and which piece of it. */
  readonly at: string
  readonly masked: boolean
  readonly router: Router
  /** What the gateway shares isn't of the Router's generation: its text is part of its name. */
  readonly shared?: boolean
}

/** Text that could be read as a reference, or may be a secret, goes through values: edited, it has another name. */
export function writeLiteral(text: string, { at, masked, router, shared = false }: LiteralPlace): Resolved {
  const nothing = { resolved: text, characters: text.length, sources: [], problems: [], doubts: [] }
  if (!masked && !text.includes('$')) return { ...nothing, written: text, values: [] }
  const { namespace, uid, generation } = router.metadata
  const edition = shared ? `+${createHash('sha256').update(text).digest('hex')}` : ''
  const name = valueName(`${namespace}/Router/${uid}@${generation}${edition}/${at}`)
  return { ...nothing, written: `\${${name}}`, values: [[name, text]] }
}
