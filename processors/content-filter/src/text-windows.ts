/**
 * Joins the texts and cuts them into windows of at most `size` characters that overlap by an eighth, between words
 * where a blank is near. For scorers that read unmodified text.
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
  // Doesn't cut a surrogate pair.
  const unit = text.charCodeAt(limit)
  return unit >= 0xdc00 && unit <= 0xdfff ? limit - 1 : limit
}

export type TokenWindow = { readonly text: string; readonly tokens: number }

type TokenLimits = {
  /** The maximum of tokens of a window, including those that the model adds to each. */
  readonly windowTokens: number
  readonly countTokens: (text: string) => number
}

/**
 * Halves a text until each window fits into the model, so that the model truncates none; undefined where one character
 * has more tokens than a window.
 */
export function tokenWindows(text: string, limits: TokenLimits): readonly TokenWindow[] | undefined {
  const found: TokenWindow[] = []
  const open = [text]
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (part.trim() === '') continue
    const tokens = limits.countTokens(part)
    if (tokens <= limits.windowTokens) {
      found.push({ text: part, tokens })
      continue
    }
    if (part.length <= 1) return undefined
    const middle = Math.ceil(part.length / 2)
    open.push(part.slice(middle), part.slice(0, middle))
  }
  return found
}
