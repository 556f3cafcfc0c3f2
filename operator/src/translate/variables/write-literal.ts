import { createHash } from 'node:crypto'
import type { Router } from '@llm-gateway/crds'
import type { Problem } from '../problem.ts'
import type { Destination } from './permit-key.ts'

/** One text of a Router and what holds for it. */
export type Field = {
  /** Below spec: `outbound.headers[Api-Key][0]`. */
  readonly at: string
  readonly text: string
  /** Of a masked header: what it says itself goes through values too. */
  readonly masked: boolean
  readonly destination: Destination
  /** Of an address: where it leads. */
  readonly origin?: string
}

/** A text of a Router, or a piece of one, with its references resolved. */
export type Resolved = {
  /** The text for gl_config.json, with secrets as `${V_…}`. */
  readonly written: string
  /** The text with all values; it never leaves the operator. Empty where it is longer than an entry may be. */
  readonly resolved: string
  /** Length of `resolved`, also where that is empty for its length. */
  readonly characters: number
  readonly values: readonly (readonly [name: string, text: string])[]
  /** Keys of the sources it depends on. */
  readonly sources: readonly string[]
  readonly problems: readonly Problem[]
  /** Sources that couldn't be read this time; their last values stay in use. */
  readonly readFailures: readonly Problem[]
}

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
  const nothing = { resolved: text, characters: text.length, sources: [], problems: [], readFailures: [] }
  if (!masked && !text.includes('$')) return { ...nothing, written: text, values: [] }
  const { namespace, uid, generation } = router.metadata
  const edition = shared ? `+${createHash('sha256').update(text).digest('hex')}` : ''
  const name = valueName(`${namespace}/Router/${uid}@${generation}${edition}/${at}`)
  return { ...nothing, written: `\${${name}}`, values: [[name, text]] }
}

/**
 * The name of a value in the values Secret and in gl_config.json: `V_` and 16 hex digits
 * (docs/reference/configuration-rules.md#references).
 */
export function valueName(origin: string): string {
  return `V_${createHash('sha256').update(origin).digest('hex').slice(0, 16)}`
}
