import { createJsonEngine } from './json-scan.ts'
import type { TextKind } from './scanned.ts'

export type JsonCheck = { kindOf(bytes: Uint8Array): TextKind }

/** A thin call of the engine, until nobody asks for a kind alone. */
export function createJsonCheck(): JsonCheck {
  const engine = createJsonEngine()
  return { kindOf: (bytes) => engine.scan(bytes, Number.POSITIVE_INFINITY).kind }
}
