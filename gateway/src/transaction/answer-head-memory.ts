import type { HeaderMap } from '../http/headers.ts'
import { HEAD_CHARACTER_BYTES, HEAD_PART_BYTES, USUAL_HEAD_BYTES } from '../memory/head-bytes.ts'

/** Returns the bytes of memory that an answer's head takes until its call ends; 0 for a usual head. */
export function answerHeadMemory(headers: HeaderMap): number {
  let characters = 0
  let parts = 0
  for (const { lower, values } of headers.values()) {
    characters += lower.length
    parts += 1 + values.length
    for (const value of values) characters += value.length
  }
  const bytes = characters * HEAD_CHARACTER_BYTES + parts * HEAD_PART_BYTES
  return bytes > USUAL_HEAD_BYTES ? bytes : 0
}
