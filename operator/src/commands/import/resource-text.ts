import { type Piece, splitReferences } from '../../translate/variables/split-references.ts'

/** A text of gl_config.json in a Router's form. */
export type ResourceText = {
  readonly text: string
  /** The variables in the text. */
  readonly names: readonly string[]
  /** Variable → the text that it replaces, since a Router would read that text as a reference. */
  readonly literals: ReadonlyMap<string, string>
}

const WHOLE_NAME = /^\$([A-Za-z_][A-Za-z0-9_]*)$/
const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/**
 * Turns a text of gl_config.json into the text of a resource. The file knows two forms more: `$NAME` as a whole value,
 * and `$${` for `${` (docs/reference/configuration-rules.md#references). A resource knows `${NAME}` alone
 * (docs/reference/kubernetes.md#variables).
 */
export function resourceText(written: string): ResourceText {
  const pieces = piecesOf(written)
  const names = pieces.flatMap((piece) => (piece.kind === 'name' ? [piece.name] : []))
  const text = pieces.map((piece) => (piece.kind === 'name' ? `\${${piece.name}}` : piece.text)).join('')
  if (JSON.stringify(splitReferences(text)) === JSON.stringify(pieces)) return { text, names, literals: new Map() }
  const literals = new Map(
    pieces.flatMap((piece, index): [string, string][] =>
      piece.kind === 'text' && piece.text.includes('$') ? [[`LITERAL_${index}`, piece.text]] : [],
    ),
  )
  const joined = pieces.map((piece, index) => {
    if (piece.kind === 'name') return `\${${piece.name}}`
    return literals.has(`LITERAL_${index}`) ? `\${LITERAL_${index}}` : piece.text
  })
  return { text: joined.join(''), names, literals }
}

function piecesOf(written: string): readonly Piece[] {
  const whole = WHOLE_NAME.exec(written)?.[1]
  if (whole !== undefined) return [{ kind: 'name', name: whole }]
  const pieces: Piece[] = []
  let literal = ''
  let from = 0
  const flush = (): void => {
    if (literal !== '') pieces.push({ kind: 'text', text: literal })
    literal = ''
  }
  for (const { index, 0: match, 1: name } of written.matchAll(REFERENCE)) {
    literal += written.slice(from, index)
    from = index + match.length
    if (name === undefined) literal += '${'
    else {
      flush()
      pieces.push({ kind: 'name', name })
    }
  }
  literal += written.slice(from)
  flush()
  return pieces
}
