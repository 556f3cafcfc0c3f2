import { isObject } from './json-object.ts'

/** The process environment at the start of a program. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The sources of references: the environment, then the files of SECRETS_DIR; `secrets` is undefined where SECRETS_DIR
 * is unset.
 */
export type References = { readonly environment: Environment; readonly secrets?: ReadonlyMap<string, string> }

/** A string with expanded references, and the referenced names; `''` and `tooLong` above LONGEST_TEXT characters. */
export type Expansion = { readonly text: string; readonly names: readonly string[]; readonly tooLong?: true }

const LONGEST_TEXT = 1024 * 1024

const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g
const WHOLE_NAME = /^\$([A-Za-z_][A-Za-z0-9_]*)$/
const DELIVERED_NAME = /^V_[0-9a-f]{16}$/

/**
 * Returns true for the names that the operator writes. Where SECRETS_DIR is set, they are looked up only there, never in
 * the environment (docs/reference/configuration-rules.md#references).
 */
export function isDeliveredName(name: string): boolean {
  return DELIVERED_NAME.test(name)
}

/**
 * Returns the value of a name from the environment, else from SECRETS_DIR; undefined where the name is unset. With
 * SECRETS_DIR the operator's names come only from there.
 */
export function lookUp(name: string, { environment, secrets }: References): string | undefined {
  if (secrets !== undefined && isDeliveredName(name)) return secrets.get(name)
  return (Object.hasOwn(environment, name) ? environment[name] : undefined) ?? secrets?.get(name)
}

/**
 * Expands the references of a string once: references within values stay text
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

/** The most characters that the references of one file may add. */
const MAX_EXPANDED_CHARACTERS = 64 * 1024 * 1024

/**
 * Expands the references in every string of a JSON value; keys stay as they are. Once the references have added
 * MAX_EXPANDED_CHARACTERS, every further string becomes empty.
 */
export function expandAll(value: unknown, references: References): unknown {
  let left = MAX_EXPANDED_CHARACTERS
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

/** Returns the names that a string refers to. */
export function referencedNames(text: string): readonly string[] {
  return expand(text, NOTHING).names
}

/** Adds the names that the strings of a JSON value refer to. */
export function collectReferencedNames(value: unknown, names: Set<string>): void {
  if (typeof value === 'string') {
    if (value.includes('$')) for (const name of referencedNames(value)) names.add(name)
  } else if (Array.isArray(value)) {
    for (const entry of value) collectReferencedNames(entry, names)
  } else if (isObject(value)) {
    for (const key in value) collectReferencedNames(value[key], names)
  }
}

const RESERVED_NAMES: ReadonlySet<string> = new Set(['NATS_TOKEN', 'GUI_SECRET'])

/**
 * Returns true for a name that neither a router nor a processor may refer to
 * (docs/reference/configuration-rules.md#references).
 */
export function isReservedName(name: string): boolean {
  return RESERVED_NAMES.has(name)
}
