import { compileJsonPath, pathSegments } from '@llm-gateway/protocol'

const EVERY = '*'

/**
 * Compiles a path such as `messages[*].content`. The function lists the values at the path, in order; the list is empty
 * when nothing is there. `[*]` is every member of an array. Only own properties are read.
 */
export function compileSearchPath(path: string): (value: unknown) => readonly unknown[] {
  const [first = compileJsonPath(''), ...rest] = steps(pathSegments(path)).map(compileJsonPath)
  return (value) =>
    rest
      .reduce<readonly unknown[]>((found, step) => found.flatMap((each) => membersOf(each).map(step)), [first(value)])
      .filter((each) => each !== undefined)
}

/** Splits a path at its wildcards: `a[*].b` becomes `a` and `b`. */
function steps(segments: readonly string[]): readonly string[] {
  const every = segments.indexOf(EVERY)
  if (every === -1) return [segments.join('.')]
  return [segments.slice(0, every).join('.'), ...steps(segments.slice(every + 1))]
}

function membersOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
