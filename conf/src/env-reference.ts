import type { References } from './types.ts'

/** A string with its references put in, and the names it used. */
export type Expansion = { readonly text: string; readonly names: readonly string[] }

const pattern = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g
const wholeName = /^\$([A-Za-z_][A-Za-z0-9_]*)$/
const deliveredName = /^V_[0-9a-f]{16}$/

/** Names that exist only as files of SECRETS_DIR where one is set (wire, 1). */
export function isDeliveredName(name: string): boolean {
  return deliveredName.test(name)
}

/** The value of a name, undefined when it is unset. */
export function lookUp(name: string, references: References): string | undefined {
  if (references.secrets !== undefined && isDeliveredName(name)) return references.secrets.get(name)
  const own = Object.hasOwn(references.environment, name) ? references.environment[name] : undefined
  return own ?? references.secrets?.get(name)
}

/** Puts references into one string value, in one pass: what a value contains is never scanned again (wire, 1). */
export function expand(text: string, references: References): Expansion {
  const whole = wholeName.exec(text)
  if (whole !== null) {
    const name = whole[1] ?? ''
    return { text: lookUp(name, references) ?? '', names: [name] }
  }
  if (!text.includes('${')) return { text, names: [] }
  const names: string[] = []
  const expanded = text.replace(pattern, (match, name: string | undefined) => {
    if (name === undefined) return match.slice(1)
    names.push(name)
    return lookUp(name, references) ?? ''
  })
  return { text: expanded, names }
}

/** Puts references into every string of a JSON value; keys are left alone. */
export function expandAll(value: unknown, references: References, names: Set<string>): unknown {
  if (typeof value === 'string') {
    const expansion = expand(value, references)
    for (const name of expansion.names) names.add(name)
    return expansion.text
  }
  if (Array.isArray(value)) return value.map((entry) => expandAll(entry, references, names))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, expandAll(entry, references, names)]))
}
