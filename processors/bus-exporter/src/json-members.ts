/** Returns the number at a path of a JSON value; undefined for any other value, or a negative number. */
export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = memberAt(value, path)
  return typeof found === 'number' && found >= 0 ? found : undefined
}

/** Returns the text at a path of a JSON value; '' for any other value. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = memberAt(value, path)
  return typeof found === 'string' ? found : ''
}

/** Returns the elements of the array at a path of a JSON value; none for any other value. */
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
