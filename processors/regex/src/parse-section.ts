/** What is nested deeper can be read but not written again: serializing recurses. */
const MAX_DEPTH = 256

/** The value of a JSON text, null where it isn't one or is nested too deeply. */
export function parseSection(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isShallow(value, MAX_DEPTH) ? value : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((member) => isShallow(member, depth - 1))
}
