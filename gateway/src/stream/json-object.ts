/** A JSON object from outside: its own keys are data, `__proto__` included, so copies go through a Map or a spread, never `target[key] =`. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses a JSON text; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether objects and arrays in a JSON text are nested deeper than `limit`: JSON.parse takes any depth, JSON.stringify overflows the stack at some thousands. */
export function nestsDeeperThan(text: string, limit: number): boolean {
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
