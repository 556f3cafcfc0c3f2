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

/** What a text, or a piece of one, comes to. */
export type Resolved = {
  /** As gl_config.json has it, secrets as `${V_…}`. */
  readonly written: string
  /** With everything put in; never leaves the operator. Empty where it is more than an entry may come to. */
  readonly resolved: string
  /** How long that is. */
  readonly characters: number
  readonly values: readonly (readonly [name: string, text: string])[]
  /** Keys of the sources it depends on. */
  readonly sources: readonly string[]
  readonly problems: readonly Problem[]
  /** What couldn't be read this time and stands as it was. */
  readonly doubts: readonly Problem[]
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
  const nothing = { resolved: text, characters: text.length, sources: [], problems: [], doubts: [] }
  if (!masked && !text.includes('$')) return { ...nothing, written: text, values: [] }
  const { namespace, uid, generation } = router.metadata
  const edition = shared ? `+${createHash('sha256').update(text).digest('hex')}` : ''
  const name = valueName(`${namespace}/Router/${uid}@${generation}${edition}/${at}`)
  return { ...nothing, written: `\${${name}}`, values: [[name, text]] }
}

/**
 * The name of a value in the values Secret and in gl_config.json: `V_` and 16 hex digits:
 * docs/reference/configuration-rules.md#references.
 */
export function valueName(origin: string): string {
  return `V_${createHash('sha256').update(origin).digest('hex').slice(0, 16)}`
}
