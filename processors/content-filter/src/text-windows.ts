/**
 * The texts as one, cut into windows of at most `size` characters that overlap by an eighth; cut between words where there is a
 * blank near. For scorers that read text as it is written.
 */
export function* textWindows(texts: readonly string[], size: number): Generator<string> {
  const text = texts.join('\n')
  const overlap = Math.floor(size / 8)
  let start = 0
  for (; text.length - start > size; ) {
    const end = cutBefore(text, { start, limit: start + size, reach: overlap })
    yield text.slice(start, end)
    start = cutBefore(text, { start, limit: end - overlap, reach: overlap })
  }
  yield text.slice(start)
}

function cutBefore(
  text: string,
  { start, limit, reach }: { readonly start: number; readonly limit: number; readonly reach: number },
): number {
  for (let at = limit; at > Math.max(start + 1, limit - reach); at -= 1)
    if (text[at] === ' ' || text[at] === '\n') return at
  // A pair of surrogates is one character.
  const unit = text.charCodeAt(limit)
  return unit >= 0xdc00 && unit <= 0xdfff ? limit - 1 : limit
}
