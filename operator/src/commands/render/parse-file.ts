import { LineCounter, parseAllDocuments } from 'yaml'
import { isObject, listAt, textAt } from '../../kube/json-value.ts'

/** What one file of a folder says; JSON is YAML. */
export type ParsedFile =
  | { readonly kind: 'objects'; readonly objects: readonly unknown[] }
  /** `a.yaml:3:5: not YAML (BAD_INDENT)` */
  | { readonly kind: 'broken'; readonly errors: readonly string[] }

/** Every resource of a file: its documents, and what Lists among them hold. `name` goes into the errors. */
export function parseFile(name: string, text: string): ParsedFile {
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false })
  const broken = [...documents].flatMap(({ errors }) => errors)
  if (broken.length > 0) {
    return {
      kind: 'broken',
      // The parser's code and no message of its own: it quotes the text, which may be a Secret.
      errors: broken.map(({ code, pos: [at] }) => {
        const { line, col } = lines.linePos(at)
        return `${name}:${line}:${col}: not YAML (${code})`
      }),
    }
  }
  const objects = [...documents].map((document): unknown => document.toJS()).flatMap(expanded)
  const strange = objects.findIndex((object) => textAt(object, 'kind') === undefined)
  if (strange !== -1) return { kind: 'broken', errors: [`${name}: resource ${strange + 1} has no kind`] }
  return { kind: 'objects', objects }
}

/** An empty document is none. */
function expanded(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return []
  return isObject(value) && textAt(value, 'kind') === 'List' ? listAt(value, 'items').flatMap(expanded) : [value]
}
