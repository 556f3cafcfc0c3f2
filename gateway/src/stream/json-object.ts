/** A JSON object from outside: its own keys are data, `__proto__` included, so copies go through a Map or a spread, never `target[key] =`. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** JSON.parse takes any depth, JSON.stringify overflows the stack at some thousands. */
const DEEPEST = 500

/** A JSON text's value; `none` when it is no JSON, `deep` when it is nested deeper than 500 levels, more than could safely be written again. */
export type ParsedJson =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'none' }
  | { readonly kind: 'deep' }

export function parseJson(text: string): ParsedJson {
  if (nestsDeeperThan(text, DEEPEST)) return { kind: 'deep' }
  try {
    return { kind: 'value', value: JSON.parse(text) }
  } catch {
    return { kind: 'none' }
  }
}

function nestsDeeperThan(text: string, limit: number): boolean {
  // Each level takes two characters once it is closed, one while the text is cut off.
  if (text.length <= limit) return false
  let depth = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (inString) {
      if (code === 0x5c) i++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > limit) return true
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return false
}
