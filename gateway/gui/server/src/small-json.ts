import { setImmediate as nextTurn } from 'node:timers/promises'
import { isBounded } from '@llm-gateway/protocol'
import { bodyOf, type ParsedBody } from './file-work/request-body.ts'
import { NOT_THE_JSON } from './read-body.ts'

/** A trial call with headers, or a manifest as text, has some ten values. */
const MOST_VALUES = 1_000
/** Larger bodies get a turn of the event loop for each step. */
const MOST_AT_ONCE = 64 * 1024

/** Parses a JSON body of at most 1,000 values; their texts may be long. */
export async function smallJson(bytes: Uint8Array | undefined): Promise<ParsedBody> {
  const isLarge = bytes !== undefined && bytes.length > MOST_AT_ONCE
  if (isLarge) await nextTurn()
  if (bytes !== undefined && !isBounded(bytes, { values: MOST_VALUES })) return NOT_THE_JSON
  if (isLarge) await nextTurn()
  return bodyOf(bytes)
}
