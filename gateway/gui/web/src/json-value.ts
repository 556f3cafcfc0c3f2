export type JsonObject = { readonly [name: string]: unknown }

/** Returns the value's members; none if it is not an object. */
export function membersOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the value's elements; none if it is not an array. */
export function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns the value if it is a text. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Returns the value at a path of member names and indexes. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let at = value
  for (const step of path) at = typeof step === 'number' ? elementsOf(at)[step] : ownMember(at, step)
  return at
}

/** Formats JSON with two spaces of indent. */
export function pretty(value: unknown): string {
  return JSON.stringify(value, undefined, 2) ?? ''
}

/** Parses a JSON text, or returns the parser's message. */
export function parseJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

function ownMember(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
