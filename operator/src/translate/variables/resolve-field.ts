import type { Router } from '@llm-gateway/crds'
import type { Snapshot } from '../../model/snapshot.ts'
import { MOST_ENTRY_CHARACTERS } from '../entry-limit.ts'
import type { Problem } from '../problem.ts'
import type { Destination } from './permit-key.ts'
import { resolveReference } from './resolve-reference.ts'
import { splitReferences } from './split-references.ts'
import { writeLiteral } from './write-literal.ts'

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

/** Scheme, host and port are complete: nothing behind them says where a call goes. */
const AFTER_AUTHORITY = /^https?:\/\/[^/?]+[/?]/i

/** Replaces each reference in a text by the name of its value in the gateway's file. */
export function resolveField(field: Field, router: Router, snapshot: Snapshot): Resolved {
  const pieces = splitReferences(field.text)
  const resolved: Resolved[] = []
  let head = ''
  for (const [index, piece] of pieces.entries()) {
    const at = pieces.length === 1 ? field.at : `${field.at}#${index}`
    const origin = AFTER_AUTHORITY.test(head) ? undefined : field.origin
    const one =
      piece.kind === 'text'
        ? writeLiteral(piece.text, { at, masked: field.masked, router })
        : resolveReference(piece.name, { at, field, router, snapshot, origin })
    resolved.push(one)
    if (field.origin !== undefined && head.length < MOST_ENTRY_CHARACTERS) head += one.resolved
  }
  return joined(resolved)
}

function joined(pieces: readonly Resolved[]): Resolved {
  const characters = pieces.reduce((sum, one) => sum + one.characters, 0)
  return {
    written: pieces.map(({ written }) => written).join(''),
    // A thousand references to a large key are more than a string can hold.
    resolved: characters > MOST_ENTRY_CHARACTERS ? '' : pieces.map(({ resolved }) => resolved).join(''),
    characters,
    values: pieces.flatMap(({ values }) => values),
    sources: pieces.flatMap(({ sources }) => sources),
    problems: pieces.flatMap(({ problems }) => problems),
    doubts: pieces.flatMap(({ doubts }) => doubts),
  }
}
