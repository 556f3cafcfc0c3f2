import { escapeText } from '../../variables/split-references.ts'

/** Holds a `$` in the environment of a sink whose settings hold a text such as `$NAME`. */
export const DOLLAR_VARIABLE = 'V_DOLLAR'

/**
 * Writes a text of a resource for a configuration file. In the file `$NAME` as the whole value is a reference too, and
 * `$${` is a literal `${` (docs/reference/configuration-rules.md#references). In a resource only `${NAME}` is a
 * reference (docs/reference/kubernetes.md#variables).
 */
export function fileText(text: string): string {
  if (/^\$[A-Za-z_]\w*$/.test(text)) return `\${${DOLLAR_VARIABLE}}${text.slice(1)}`
  return escapeText(text)
}
