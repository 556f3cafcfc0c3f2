import type { FieldPath } from '@llm-gateway/gui-api'
import { isObject } from '../../json-value.ts'

export type Merged = {
  readonly value: unknown
  /** Places that both sides changed differently. `value` has your values there. */
  readonly clashes: readonly FieldPath[]
}

type ThreeValues = { readonly base: unknown; readonly theirs: unknown; readonly yours: unknown }

/** Merges two changes of a JSON value member by member. Arrays are merged by index, also if elements were appended. */
export function mergeJson({ base, theirs, yours }: ThreeValues, path: FieldPath = []): Merged {
  if (isSame(theirs, yours) || isSame(base, theirs)) return { value: yours, clashes: [] }
  if (isSame(base, yours)) return { value: theirs, clashes: [] }
  if (isObject(base) && isObject(theirs) && isObject(yours)) {
    const names = [...new Set([...Object.keys(yours), ...Object.keys(theirs)])]
    const parts = names.map(
      (name) => [name, mergeJson(membersAt({ base, theirs, yours }, name), [...path, name])] as const,
    )
    return {
      value: Object.fromEntries(
        parts.filter(([, part]) => part.value !== undefined).map(([name, part]) => [name, part.value]),
      ),
      clashes: parts.flatMap(([, part]) => part.clashes),
    }
  }
  if (Array.isArray(base) && Array.isArray(theirs) && Array.isArray(yours)) {
    const isAligned = base.length === theirs.length && base.length === yours.length
    if (isAligned) {
      const parts = base.map((one, at) => mergeJson({ base: one, theirs: theirs[at], yours: yours[at] }, [...path, at]))
      return { value: parts.map(({ value }) => value), clashes: parts.flatMap(({ clashes }) => clashes) }
    }
    // Their side only appended elements, and your side kept the length.
    const isAppended = isSame(base, theirs.slice(0, base.length)) && yours.length === base.length
    if (isAppended) return { value: [...yours, ...theirs.slice(base.length)], clashes: [] }
    const alsoAppended = isSame(base, theirs.slice(0, base.length)) && isSame(base, yours.slice(0, base.length))
    if (alsoAppended) return { value: [...theirs, ...yours.slice(base.length)], clashes: [] }
  }
  return { value: yours, clashes: [path] }
}

function membersAt({ base, theirs, yours }: ThreeValues, name: string): ThreeValues {
  const own = (value: unknown): unknown => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined)
  return { base: own(base), theirs: own(theirs), yours: own(yours) }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
