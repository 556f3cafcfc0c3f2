export type TokenWindow = { readonly text: string; readonly tokens: number }

export type TokenLimits = {
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
