/**
 * The code points of a JSON value's compact text (wire, 6), undefined where there is none: no body is null (wire, 3).
 * Half a surrogate pair is escaped in JSON, so every high surrogate of the text is one unit more than it has code points.
 */
export function countCharacters(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  const text = JSON.stringify(value)
  let pairs = 0
  for (let i = 0; i < text.length; i += 1) {
    if (isHighSurrogate(text.charCodeAt(i))) pairs += 1
  }
  return text.length - pairs
}

function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800
}
