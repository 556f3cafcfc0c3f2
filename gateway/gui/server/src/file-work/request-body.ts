import { answered, type Failed } from '../answer.ts'
import { NOT_THE_JSON } from '../read-body.ts'

export type ParsedBody = { readonly kind: 'answered'; readonly value: unknown } | Failed<'BAD_REQUEST'>

/** Parses a JSON body. Refuses keys that reach into prototypes. */
export function bodyOf(bytes: Uint8Array | undefined): ParsedBody {
  if (bytes === undefined || bytes.length === 0) return answered(undefined)
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (!reachesPrototypes(value)) return answered(value)
  } catch (error) {
    // The body is not UTF-8 or not JSON; neither is a bug.
    if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error
  }
  return NOT_THE_JSON
}

/** Walks the value without recursion: it may be nested deeper than the stack. */
function reachesPrototypes(root: unknown): boolean {
  const waiting: unknown[] = [root]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value !== 'object' || value === null) continue
    for (const [key, inner] of Object.entries(value)) {
      if (key === '__proto__') return true
      if (key === 'constructor' && typeof inner === 'object' && inner !== null && Object.hasOwn(inner, 'prototype'))
        return true
      if (typeof inner === 'object') waiting.push(inner)
    }
  }
  return false
}
