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

type TokenWindow = { readonly text: string; readonly tokens: number }

type TokenLimits = {
  /** Tokens of a window, those included that the model adds to each. */
  readonly windowTokens: number
  /** Tokens of all windows. */
  readonly maxTokens: number
  readonly countTokens: (text: string) => number
}

/** Cuts windows in halves until each is small enough for the model, so that nothing of it is cut off; undefined over `maxTokens`. */
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
      // A character of more tokens than a window has would reach the model cut off.
      if (tokens > limits.windowTokens) return undefined
      sum += tokens
      if (sum > limits.maxTokens) return undefined
      found.push({ text, tokens })
    }
  }
  return found
}
