import { splitReferences } from '../../variables/split-references.ts'

/** Holds a `$` in the environment of a sink whose settings hold a text such as `$NAME`. */
export const DOLLAR_VARIABLE = 'V_DOLLAR'

/**
 * A text of a resource as a configuration file writes it: there, `$NAME` as the whole value is a reference too and `$${` is a
 * literal `${` (wire, 1); in a resource only `${NAME}` is one (kubernetes, 2.1).
 */
export function fileText(text: string): string {
  if (/^\$[A-Za-z_]\w*$/.test(text)) return `\${${DOLLAR_VARIABLE}}${text.slice(1)}`
  const pieces = splitReferences(text)
  return pieces.map((piece) => (piece.kind === 'name' ? `\${${piece.name}}` : literal(piece.text))).join('')
}

function literal(text: string): string {
  return text.replaceAll('${', () => '$${')
}
