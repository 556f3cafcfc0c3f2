/**
 * Returns a JSON string; most texts of headers and paths need no escaping, and the test is cheaper than JSON.stringify.
 */
export function quote(text: string): string {
  return /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(text) ? `"${text}"` : JSON.stringify(text)
}

/** Returns a JSON array of strings. */
export function quoteAll(texts: readonly string[]): string {
  return texts.length === 1 ? `[${quote(texts[0] ?? '')}]` : JSON.stringify(texts)
}
