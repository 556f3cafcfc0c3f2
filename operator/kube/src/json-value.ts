/** Returns whether a value is a JSON object, so neither null nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the value at a path of keys; undefined where the path ends early. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (node, key) => (isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined),
    value,
  )
}

export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, ...path)
  return typeof found === 'string' ? found : undefined
}

export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = valueAt(value, ...path)
  return typeof found === 'number' ? found : undefined
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...path)
  return Array.isArray(found) ? found : []
}

/** Returns status ("True", "False", "Unknown") and reason of a type's condition; undefined: there is none. */
export function conditionAt(object: unknown, type: string): { status: string; reason: string } | undefined {
  const condition = listAt(object, 'status', 'conditions').find((candidate) => textAt(candidate, 'type') === type)
  if (condition === undefined) return undefined
  return { status: textAt(condition, 'status') ?? '', reason: textAt(condition, 'reason') ?? '' }
}
