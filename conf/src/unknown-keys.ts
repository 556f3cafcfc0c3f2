import { isObject } from './json-object.ts'
import { shortName } from './short-name.ts'

/** The most keys that one log line names. */
export const MAX_KEYS = 100

/**
 * Returns the paths of keys in `written` that its checked form lacks, at most 100. `$schema` is left out, since editors
 * need it.
 */
export function unknownKeys(written: unknown, checked: unknown, root: string): readonly string[] {
  const unknown: string[] = []
  for (const path of keysBeyond(written, checked, root)) {
    if (path === `${root}.$schema`) continue
    unknown.push(shortName(path))
    if (unknown.length === MAX_KEYS) break
  }
  return unknown
}

function* keysBeyond(written: unknown, checked: unknown, at: string): Generator<string> {
  if (Array.isArray(written) && Array.isArray(checked)) {
    for (const [i, entry] of written.entries()) yield* keysBeyond(entry, checked[i], `${at}[${i}]`)
  } else if (isObject(written) && isObject(checked)) {
    for (const key of Object.keys(written)) {
      if (Object.hasOwn(checked, key)) yield* keysBeyond(written[key], checked[key], `${at}.${key}`)
      else yield `${at}.${key}`
    }
  }
}
