import { isJsonObject } from './json.ts'

const INDEX = /^(?:0|[1-9][0-9]*)$/

/**
 * Compiles a path such as `choices[0].message.content`, the same as `choices.0.message.content`. The result reads own
 * properties only, returns undefined where the path leads nowhere, and takes the fields of a message too.
 */
export function compileJsonPath(path: string): (value: unknown) => unknown {
  const segments = pathSegments(path)
  return (value) => segments.reduce(step, value)
}

/** The parts of a path in order: `a[0].b` is `a`, `0`, `b`. */
export function pathSegments(path: string): readonly string[] {
  return path.split(/[.[\]]+/).filter((segment) => segment !== '')
}

function step(value: unknown, segment: string): unknown {
  if (Array.isArray(value)) return INDEX.test(segment) ? value[Number(segment)] : undefined
  if (value instanceof Map) return value.get(segment)
  if (!isJsonObject(value) || !Object.hasOwn(value, segment)) return undefined
  return value[segment]
}
