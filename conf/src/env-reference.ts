import { isObject } from './json-object.ts'
import type { References } from './types.ts'

/** A string with its references put in, and the names it used; `''` where they make it longer than any setting is. */
export type Expansion = { readonly text: string; readonly names: readonly string[]; readonly tooLong?: true }

const LONGEST_TEXT = 1024 * 1024

const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g
const WHOLE_NAME = /^\$([A-Za-z_][A-Za-z0-9_]*)$/
const DELIVERED_NAME = /^V_[0-9a-f]{16}$/

/** Where SECRETS_DIR is set, these names are looked up there only (docs/reference/configuration-rules.md#references). */
export function isDeliveredName(name: string): boolean {
  return DELIVERED_NAME.test(name)
}

/** The value of a name, undefined when it is unset: the environment's, then the one in SECRETS_DIR. */
export function lookUp(name: string, { environment, secrets }: References): string | undefined {
  if (secrets !== undefined && isDeliveredName(name)) return secrets.get(name)
  return (Object.hasOwn(environment, name) ? environment[name] : undefined) ?? secrets?.get(name)
}

/**
 * Replaces the references of one string, once: references inside of values stay text
 * (docs/reference/configuration-rules.md#references).
 */
export function expand(text: string, references: References): Expansion {
  if (!text.includes('$')) return { text, names: [] }
  const whole = WHOLE_NAME.exec(text)?.[1]
  if (whole !== undefined) return { text: lookUp(whole, references) ?? '', names: [whole] }
  const names: string[] = []
  let length = text.length
  const expanded = text.replace(REFERENCE, (match, name: string | undefined) => {
    if (name === undefined) return match.slice(1)
    names.push(name)
    const value = lookUp(name, references) ?? ''
    length += value.length
    // A short text may name a long value a million times.
    return length > LONGEST_TEXT ? '' : value
  })
  return length > LONGEST_TEXT ? { text: '', names, tooLong: true } : { text: expanded, names }
}

/** Characters that the references of one file may add to it. */
export const MOST_ADDED = 64 * 1024 * 1024

/** Puts references into every string of a JSON value, as far as MOST_ADDED goes; keys are left alone. */
export function expandAll(value: unknown, references: References): unknown {
  let left = MOST_ADDED
  const expanded = (part: unknown): unknown => {
    if (typeof part === 'string') {
      const { text } = expand(part, references)
      left -= Math.max(0, text.length - part.length)
      return left < 0 ? '' : text
    }
    if (Array.isArray(part)) return part.map(expanded)
    if (!isObject(part)) return part
    return Object.fromEntries(Object.entries(part).map(([key, entry]) => [key, expanded(entry)]))
  }
  return expanded(value)
}

const NOTHING: References = { environment: {} }

/** The names that a string refers to. */
export function namesIn(text: string): readonly string[] {
  return expand(text, NOTHING).names
}

/** Adds the names that the strings of a JSON value refer to. */
export function collectNames(value: unknown, names: Set<string>): void {
  if (typeof value === 'string') {
    if (value.includes('$')) for (const name of namesIn(value)) names.add(name)
  } else if (Array.isArray(value)) {
    for (const entry of value) collectNames(entry, names)
  } else if (isObject(value)) {
    for (const key in value) collectNames(value[key], names)
  }
}

const RESERVED_NAMES: ReadonlySet<string> = new Set(['NATS_TOKEN', 'GUI_SECRET'])

/** Names that neither a router nor a processor may refer to (docs/reference/configuration-rules.md#references). */
export function isReservedName(name: string): boolean {
  return RESERVED_NAMES.has(name)
}
