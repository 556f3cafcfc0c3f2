/** The number at a place of a JSON value; undefined where there is none, or a negative one. */
export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = memberAt(value, path)
  return typeof found === 'number' && found >= 0 ? found : undefined
}

/** The text at a place of a JSON value; '' where there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = memberAt(value, path)
  return typeof found === 'string' ? found : ''
}

/** The elements of the array at a place of a JSON value; none where there is no array. */
export function arrayAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = memberAt(value, path)
  return Array.isArray(found) ? found : []
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  let found = value
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = Object.entries(found).find(([key]) => key === name)?.[1]
  }
  return found
}
