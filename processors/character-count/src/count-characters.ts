/** Answers one message; undefined when it has no payload. */
export function answerCount(fields: ReadonlyMap<string, unknown>): { readonly character_count: number } | undefined {
  const character_count = countCharacters(fields.get('ingress_payload'))
  return character_count === undefined ? undefined : { character_count }
}

/**
 * Counts the code points in the compact text of a JSON value; undefined for null, which means no body. A value nested
 * too deep for the stack is counted without recursion, since a caller chooses the depth.
 */
export function countCharacters(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  try {
    return codePoints(JSON.stringify(value))
  } catch (error) {
    // The value is nested deeper than the stack allows.
    if (error instanceof RangeError) return countPieces(value)
    throw error
  }
}

/** Counts without recursion, several times slower: brackets, commas, keys and colons as in the compact text. */
function countPieces(value: unknown): number {
  const waiting: unknown[] = [value]
  let count = 0
  while (waiting.length > 0) {
    const piece = waiting.pop()
    if (Array.isArray(piece)) {
      count += framed(piece.length)
      for (const member of piece) waiting.push(member)
    } else if (typeof piece === 'object' && piece !== null) {
      const entries = Object.entries(piece)
      count += framed(entries.length)
      for (const [key, member] of entries) {
        count += codePoints(JSON.stringify(key)) + 1
        waiting.push(member)
      }
    } else count += codePoints(JSON.stringify(piece))
  }
  return count
}

/** Counts two brackets and the commas between members. */
function framed(members: number): number {
  return 2 + Math.max(members - 1, 0)
}

/**
 * Counts code points. JSON escapes half a surrogate pair, so every high surrogate in the text begins a pair of two
 * units.
 */
function codePoints(text: string): number {
  let pairs = 0
  for (let i = 0; i < text.length; i += 1) {
    if (isHighSurrogate(text.charCodeAt(i))) pairs += 1
  }
  return text.length - pairs
}

function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800
}
