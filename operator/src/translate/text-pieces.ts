/** Gives a text in pieces of some characters. No piece ends within a surrogate pair, whose halves are no characters. */
export function* textPieces(text: string, characters: number): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = from + characters
    const to = isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end
    yield text.slice(from, to)
    from = to
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
