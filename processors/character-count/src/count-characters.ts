/**
 * The code points of a JSON value's compact text (wire, 6), undefined where there is no value. Half a surrogate pair is
 * escaped in JSON, so each high surrogate of the text has its low one: they are what the text has more units than points.
 */
export function countCharacters(value: unknown): number | undefined {
  const text = JSON.stringify(value)
  if (text === undefined) return undefined
  let pairs = 0
  for (let i = 0; i < text.length; i += 1) {
    if (isHighSurrogate(text.charCodeAt(i))) pairs += 1
  }
  return text.length - pairs
}

function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800
}
