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

type TokenWindow = { readonly text: string; readonly tokens: number }

type TokenLimits = {
  /** The maximum of tokens of a window, including those that the model adds to each. */
  readonly windowTokens: number
  /** The maximum of tokens of all windows. */
  readonly maxTokens: number
  readonly countTokens: (text: string) => number
}

/** Halves windows until each fits into the model, so that the model truncates none; undefined over `maxTokens`. */
export function tokenWindows(windows: Iterable<string>, limits: TokenLimits): readonly TokenWindow[] | undefined {
  const found: TokenWindow[] = []
  let sum = 0
  for (const window of windows) {
    const open = [window]
    for (let text = open.pop(); text !== undefined; text = open.pop()) {
      if (text.trim() === '') continue
      const tokens = limits.countTokens(text)
      if (tokens > limits.windowTokens && text.length > 1) {
        const middle = Math.ceil(text.length / 2)
        open.push(text.slice(middle), text.slice(0, middle))
        continue
      }
      // The model would truncate a character of more tokens than a window has.
      if (tokens > limits.windowTokens) return undefined
      sum += tokens
      if (sum > limits.maxTokens) return undefined
      found.push({ text, tokens })
    }
  }
  return found
}
