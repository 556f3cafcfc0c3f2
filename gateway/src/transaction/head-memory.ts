import type { Call } from './transaction.ts'

/** A usual head is a part of the memory that a call needs anyway. */
const USUAL_CHARACTERS = 8 * 1024
/** The bytes of memory of a character, which is in several texts, of a query parameter, and of a header's name or value. */
const CHARACTER_BYTES = 2
const PARAMETER_BYTES = 96
const LINE_PART_BYTES = 128

/** Returns the bytes of memory that a call's head takes while the call runs; 0 for a usual head. */
export function headMemory({ target, rawHeaders }: Pick<Call, 'target' | 'rawHeaders'>): number {
  let characters = target.length
  for (const text of rawHeaders) characters += text.length
  if (characters <= USUAL_CHARACTERS) return 0
  const parameters = target.split('&').length
  return characters * CHARACTER_BYTES + parameters * PARAMETER_BYTES + rawHeaders.length * LINE_PART_BYTES
}
