import { isObject } from './values.ts'

/** A leaf of a JSON Schema: one setting. */
export type SettingRow = {
  /** `limits.json_depth`, `routers[].path`. */
  readonly path: string
  /** Type and range as text. */
  readonly type: string
  /** JSON text; undefined if the schema has no default. */
  readonly defaultValue: string | undefined
  readonly required: boolean
  readonly description: string
}

/** Returns all settings of a JSON Schema (draft 2020-12 or OpenAPI 3), parents before their members. */
export function schemaRows(schema: unknown, parent = '', required = false): readonly SettingRow[] {
  const node = mainForm(schema)
  const rows = parent === '' ? [] : [row(node, parent, required)]
  const properties = isObject(node.properties) ? Object.entries(node.properties) : []
  const wanted = Array.isArray(node.required) ? node.required : []
  const members = properties
    .filter(([name]) => name !== '$schema')
    .flatMap(([name, member]) => schemaRows(member, parent === '' ? name : `${parent}.${name}`, wanted.includes(name)))
  return [...rows, ...members, ...elementRows(node, parent)]
}

function elementRows(node: Node, parent: string): readonly SettingRow[] {
  const [element, at] = isObject(node.items)
    ? [node.items, `${parent}[]`]
    : [node.additionalProperties, `${parent}.<name>`]
  if (!isObject(element)) return []
  // A list's row also describes elements that are plain values.
  return schemaRows(element, at).filter(({ path }) => path !== at || isObject(mainForm(element).properties))
}

type Node = Readonly<Record<string, unknown>>

/**
 * Returns the first of a setting's alternative forms; a second form is usually a reference to a variable. A list
 * whose first alternative is a constant gets the constant as `word`.
 */
function mainForm(schema: unknown): Node {
  if (!isObject(schema)) return {}
  const { anyOf, oneOf, ...rest } = schema
  const forms = Array.isArray(anyOf) ? anyOf : oneOf
  const [first, second] = Array.isArray(forms) ? forms.map(mainForm) : []
  if (first === undefined) return schema
  if (first.const !== undefined && second?.type === 'array') return { ...second, ...rest, word: first.const }
  return { ...first, ...rest }
}

function row(node: Node, path: string, required: boolean): SettingRow {
  const { default: defaultValue, description } = node
  return {
    path,
    type: typeText(node),
    defaultValue: defaultValue === undefined ? undefined : JSON.stringify(defaultValue),
    required,
    description: typeof description === 'string' ? description : '',
  }
}

function typeText(node: Node): string {
  if (Array.isArray(node.enum)) return node.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (node['x-kubernetes-int-or-string'] === true) return 'integer or string'
  if (typeof node.word === 'string') return `\`${node.word}\`, ${typeText({ ...node, word: undefined })}`
  if (node.type === 'array') return `list of ${typeText(mainForm(node.items))}`
  if (node.type === 'object' && isObject(node.additionalProperties))
    return `map of ${typeText(mainForm(node.additionalProperties))}`
  const type = Array.isArray(node.type)
    ? node.type.join(' or ')
    : typeof node.type === 'string'
      ? node.type
      : 'any JSON'
  return [type, range(node)].filter((part) => part !== '').join(' ')
}

/** The value that zod writes for an integer without a bound. */
const NO_BOUND = Number.MAX_SAFE_INTEGER

function range({ minimum, maximum, maxLength }: Node): string {
  const low = typeof minimum === 'number' && minimum > -NO_BOUND ? minimum : undefined
  const high = typeof maximum === 'number' && maximum < NO_BOUND ? maximum : undefined
  if (low !== undefined && high !== undefined) return `${low} to ${high}`
  if (low !== undefined) return `from ${low}`
  if (high !== undefined) return `to ${high}`
  return typeof maxLength === 'number' ? `(at most ${maxLength} characters)` : ''
}
