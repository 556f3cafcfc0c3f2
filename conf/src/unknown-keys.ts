/** Paths of keys in `written` that `known` (the parsed value) doesn't have; `$schema` at the root is for editors. */
export function unknownKeys(written: unknown, known: unknown, at: string): readonly string[] {
  if (Array.isArray(written) && Array.isArray(known)) {
    return written.flatMap((entry, i) => unknownKeys(entry, known[i], `${at}[${i}]`))
  }
  if (!isObject(written) || !isObject(known)) return []
  return Object.keys(written).flatMap((key) => {
    if (key === '$schema') return []
    if (!Object.hasOwn(known, key)) return [`${at}.${key}`]
    return unknownKeys(written[key], known[key], `${at}.${key}`)
  })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
