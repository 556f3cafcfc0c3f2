import type { Router } from '@llm-gateway/crds'
import { AddressHead } from './address-head.ts'
import type { ReferenceResolver } from './resolve-reference.ts'
import { splitReferences } from './split-references.ts'
import { type ResolvedText, type RouterText, writeLiteral } from './write-literal.ts'

/**
 * The most characters of a Router, both as written and with its values; usual Routers have some hundred. Larger Routers
 * are neither resolved nor checked, so that one author can't fill the file or the operator.
 */
export const MAX_ENTRY_CHARACTERS = 16 * 1024

/** Replaces each reference in a text by the name of its value in the gateway's file. */
export function resolveField(field: RouterText, router: Router, resolve: ReferenceResolver): ResolvedText {
  const pieces = splitReferences(field.text)
  const resolved: ResolvedText[] = []
  const head = new AddressHead()
  for (const [index, piece] of pieces.entries()) {
    const at = pieces.length === 1 ? field.at : `${field.at}#${index}`
    const origin = head.isComplete ? undefined : field.origin
    const one =
      piece.kind === 'text'
        ? writeLiteral(piece.text, { at, masked: field.masked, router })
        : resolve(piece.name, { at, field, origin })
    resolved.push(one)
    if (field.origin !== undefined) head.add(one.resolved)
  }
  return joined(resolved)
}

function joined(pieces: readonly ResolvedText[]): ResolvedText {
  const characters = pieces.reduce((sum, one) => sum + one.characters, 0)
  return {
    written: pieces.map(({ written }) => written).join(''),
    // A thousand references to a large key would exceed the longest string.
    resolved: characters > MAX_ENTRY_CHARACTERS ? '' : pieces.map(({ resolved }) => resolved).join(''),
    characters,
    values: pieces.flatMap(({ values }) => values),
    sources: pieces.flatMap(({ sources }) => sources),
    problems: pieces.flatMap(({ problems }) => problems),
    readFailures: pieces.flatMap(({ readFailures }) => readFailures),
  }
}
