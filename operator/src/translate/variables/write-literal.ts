import { hash } from 'node:crypto'
import type { Router } from '@llm-gateway/crds'
import type { Problem } from '../problem.ts'
import type { Destination } from './permit-key.ts'

/** One text of a Router and the rules for it. */
export type RouterText = {
  /** The field below spec: `outbound.headers[Api-Key][0]`. */
  readonly at: string
  readonly text: string
  /** True for a masked header, whose literal texts become values, too. */
  readonly masked: boolean
  readonly destination: Destination
  /** For an address: the origin to which it leads. */
  readonly origin?: string
}

/** A text of a Router, or a piece of one, with its references resolved. */
export type ResolvedText = {
  /** The text for gl_config.json, with each value as `${V_…}`. */
  readonly written: string
  /** The text with all values, which never leaves the operator. Empty where it exceeds an entry's limit. */
  readonly resolved: string
  /** The length of `resolved` before it was emptied. */
  readonly characters: number
  readonly values: readonly (readonly [name: string, text: string])[]
  /** Keys of the sources on which it depends. */
  readonly sources: readonly string[]
  readonly problems: readonly Problem[]
  /** Sources that couldn't be read, whose texts have a stand-in. */
  readonly readFailures: readonly Problem[]
}

export type LiteralContext = {
  /** The field below spec, and the index of its piece. */
  readonly at: string
  readonly masked: boolean
  readonly router: Router
  /**
   * True for a shared text. The Router's generation doesn't cover such a text, so the text's hash is part of its
   * value's name.
   */
  readonly shared?: boolean
}

/**
 * Writes a literal text. A text with a `$` or of a masked header becomes a value, whose name changes with each edit.
 */
export function writeLiteral(text: string, { at, masked, router, shared = false }: LiteralContext): ResolvedText {
  const nothing = { resolved: text, characters: text.length, sources: [], problems: [], readFailures: [] }
  if (!masked && !text.includes('$')) return { ...nothing, written: text, values: [] }
  const { namespace, uid, generation } = router.metadata
  const edition = shared ? `+${hash('sha256', text)}` : ''
  const name = valueName(`${namespace}/Router/${uid}@${generation}${edition}/${at}`)
  return { ...nothing, written: `\${${name}}`, values: [[name, text]] }
}

/**
 * Returns the name of a value in the values Secret and in gl_config.json: `V_` and 16 hex digits
 * (docs/reference/configuration-rules.md#references).
 */
export function valueName(origin: string): string {
  return `V_${hash('sha256', origin).slice(0, 16)}`
}

/** A reference to such a value in gl_config.json. */
export const VALUE_REFERENCE = /\$\{(V_[0-9a-f]{16})\}/g
