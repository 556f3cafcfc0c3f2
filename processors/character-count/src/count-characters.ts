/** Answers one message; nothing where it has no payload. */
export function answerCount(fields: ReadonlyMap<string, unknown>): { readonly character_count: number } | undefined {
  const character_count = countCharacters(fields.get('ingress_payload'))
  return character_count === undefined ? undefined : { character_count }
}

/**
 * The number of code points in the compact text of a JSON value; undefined for null, which stands for no body.
 * Any nesting is counted without recursion, because a caller chooses its depth.
 */
export function countCharacters(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  try {
    return codePoints(JSON.stringify(value))
  } catch (error) {
    // Nested deeper than the stack allows.
    if (error instanceof RangeError) return countPieces(value)
    throw error
  }
}

/** The same without recursion, several times slower: brackets, commas, keys and colons counted where they would stand. */
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

/** Two brackets, and a comma between each two members. */
function framed(members: number): number {
  return 2 + Math.max(members - 1, 0)
}

/** Half a surrogate pair is escaped in JSON, so every high surrogate of the text is one unit more than it has code points. */
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
