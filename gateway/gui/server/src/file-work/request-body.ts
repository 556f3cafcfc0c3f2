import { answered, failed } from '../answer.ts'

/** A body as JSON; one with a key that reaches into prototypes is refused, as Fastify refuses it elsewhere. */
export function bodyOf(bytes: Uint8Array | undefined) {
  if (bytes === undefined || bytes.length === 0) return answered(undefined)
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (!reachesPrototypes(value)) return answered(value)
  } catch (error) {
    // Neither is a bug: not UTF-8, not JSON.
    if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error
  }
  return failed('BAD_REQUEST', 'The body is not the JSON that the interface asks for.')
}

/** Without recursion: what was sent may be nested deeper than the stack. */
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
