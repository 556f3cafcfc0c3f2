import { isObject, listAt, textAt } from '@llm-gateway/kube'
import { LineCounter, parseAllDocuments, type Tags } from 'yaml'

/** The objects of one file. JSON is YAML. */
export type ParsedFile =
  | { readonly kind: 'objects'; readonly objects: readonly unknown[] }
  /** `a.yaml:3:5: not YAML (BAD_INDENT)` */
  | { readonly kind: 'broken'; readonly errors: readonly string[] }

const TIMESTAMP = 'tag:yaml.org,2002:timestamp'

/** kubectl reads YAML 1.1, where `yes` is true. Times and `1:30` stay texts. */
const AS_KUBECTL = {
  version: '1.1',
  customTags: (tags: Tags): Tags =>
    tags.filter((tag) => typeof tag === 'string' || (tag.tag !== TIMESTAMP && tag.format !== 'TIME')),
} as const

/** Returns every resource of a file: its documents, and the items of Lists. `name` goes into the errors. */
export function parseFile(name: string, text: string): ParsedFile {
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, { ...AS_KUBECTL, lineCounter: lines, prettyErrors: false })
  const broken = [...documents].flatMap(({ errors }) => errors)
  if (broken.length > 0) {
    return {
      kind: 'broken',
      // The parser's code without its message, which quotes the text, and so perhaps a Secret.
      errors: broken.map(({ code, pos: [at] }) => {
        const { line, col } = lines.linePos(at)
        return `${name}:${line}:${col}: not YAML (${code})`
      }),
    }
  }
  const objects = objectsOf(documents)
  if (objects === undefined) return { kind: 'broken', errors: [`${name}: too many aliases`] }
  const strange = objects.findIndex((object) => textAt(object, 'kind') === undefined)
  if (strange !== -1) return { kind: 'broken', errors: [`${name}: resource ${strange + 1} has no kind`] }
  return { kind: 'objects', objects }
}

/** Returns undefined where aliases would make the document too large. */
function objectsOf(documents: ReturnType<typeof parseAllDocuments>): readonly unknown[] | undefined {
  try {
    return [...documents].map((document): unknown => document.toJS()).flatMap(expanded)
  } catch (error) {
    if (error instanceof ReferenceError) return undefined
    throw error
  }
}

/** Expands Lists. An empty document has no object. */
function expanded(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return []
  return isObject(value) && textAt(value, 'kind') === 'List' ? listAt(value, 'items').flatMap(expanded) : [value]
}
