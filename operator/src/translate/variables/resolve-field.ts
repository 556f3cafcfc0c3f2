import type { Router } from '@llm-gateway/crds'
import type { Snapshot } from '../../snapshot.ts'
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
  /** With everything put in; never leaves the operator. */
  readonly resolved: string
  readonly values: readonly (readonly [name: string, text: string])[]
  /** Keys of the sources it depends on. */
  readonly sources: readonly string[]
  readonly problems: readonly Problem[]
  /** What couldn't be read this time and stands as it was. */
  readonly doubts: readonly Problem[]
}

const NOTHING: Resolved = { written: '', resolved: '', values: [], sources: [], problems: [], doubts: [] }
/** Scheme, host and port are complete: nothing behind them says where a call goes. */
const AFTER_AUTHORITY = /^https?:\/\/[^/?]+[/?]/i

/** Puts one name per reference into a text (kubernetes, 2.1). */
export function resolveField(field: Field, router: Router, snapshot: Snapshot): Resolved {
  const pieces = splitReferences(field.text)
  return pieces.reduce((before, piece, index) => {
    const at = pieces.length === 1 ? field.at : `${field.at}#${index}`
    const origin = AFTER_AUTHORITY.test(before.resolved) ? undefined : field.origin
    const resolved =
      piece.kind === 'text'
        ? writeLiteral(piece.text, { at, masked: field.masked, router })
        : resolveReference(piece.name, { at, field, router, snapshot, origin })
    return joined(before, resolved)
  }, NOTHING)
}

function joined(before: Resolved, after: Resolved): Resolved {
  return {
    written: before.written + after.written,
    resolved: before.resolved + after.resolved,
    values: [...before.values, ...after.values],
    sources: [...before.sources, ...after.sources],
    problems: [...before.problems, ...after.problems],
    doubts: [...before.doubts, ...after.doubts],
  }
}
