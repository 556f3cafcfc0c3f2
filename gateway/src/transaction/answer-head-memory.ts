import type { HeaderMap } from '../http/headers.ts'

/** The most bytes of memory of a usual answer's head; LLM APIs send up to some 30 lines. */
const USUAL_BYTES = 16 * 1024
/** The bytes of memory of a character, which is in several texts, and of a header's name or value. */
const CHARACTER_BYTES = 2
const LINE_PART_BYTES = 160

/** Returns the bytes of memory that an answer's head takes until its call ends; 0 for a usual head. */
export function answerHeadMemory(headers: HeaderMap): number {
  let characters = 0
  let parts = 0
  for (const { lower, values } of headers.values()) {
    characters += lower.length
    parts += 1 + values.length
    for (const value of values) characters += value.length
  }
  const bytes = characters * CHARACTER_BYTES + parts * LINE_PART_BYTES
  return bytes > USUAL_BYTES ? bytes : 0
}
