/** A member's name and place in its object, roughly; it also ends the count of a value that contains itself. */
const MEMBER_BYTES = 32
/** V8 keeps a character of a text in two bytes at most. */
const CHARACTER_BYTES = 2

/** Estimates the memory that a value from a thread takes; `most` ends the count. */
export function heldBytes(value: unknown, most: number): number {
  const left = [value]
  let bytes = 0
  while (left.length > 0 && bytes < most) {
    const next = left.pop()
    bytes += MEMBER_BYTES + ownBytes(next)
    for (const member of membersOf(next)) left.push(member)
  }
  return Math.min(bytes, most)
}

function ownBytes(value: unknown): number {
  if (typeof value === 'string') return value.length * CHARACTER_BYTES
  return ArrayBuffer.isView(value) ? value.byteLength : 0
}

function membersOf(value: unknown): Iterable<unknown> {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return []
  if (value instanceof Map) return value.values()
  return Array.isArray(value) ? value : Object.values(value)
}
