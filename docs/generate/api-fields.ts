import { code } from './markdown.ts'
import { isObject } from './values.ts'

export type Json = Readonly<Record<string, unknown>>

/** A member of a request or an answer. */
export type ApiField = {
  /** `transactions[].router`, `labels.<name>`. */
  readonly path: string
  /** Type and range as Markdown, with links to shared objects. */
  readonly type: string
  readonly required: boolean
  /** JSON text; undefined without a default. */
  readonly defaultValue: string | undefined
  readonly description: string
}

/** One form of a schema; the description is empty if the schema has no others. */
export type ApiForm = { readonly description: string; readonly fields: readonly ApiField[] }

/** Returns the forms of a schema that their descriptions tell apart, else one form with the fields of all. */
export function apiForms(schema: unknown): readonly ApiForm[] {
  const forms = alternatives(schema).filter(isObject)
  const isTold = forms.length > 1 && forms.every(({ description }) => typeof description === 'string')
  if (!isTold) return [{ description: '', fields: fieldsOf(schema, '') }]
  return forms.map((form) => ({ description: String(form.description), fields: fieldsOf(form, '') }))
}

/** Returns the name of the shared object that a schema refers to. */
export function sharedName(schema: unknown): string | undefined {
  const target = isObject(schema) ? schema.$ref : undefined
  return typeof target === 'string' ? target.replace('#/components/schemas/', '') : undefined
}

/** Formats a type; a shared object becomes a link. */
export function typeText(schema: unknown): string {
  if (!isObject(schema)) return 'any JSON'
  const shared = sharedName(schema)
  if (shared !== undefined) return `[${shared}](#${shared === 'FailureCode' ? 'failures' : shared.toLowerCase()})`
  if ('const' in schema) return code(JSON.stringify(schema.const))
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => code(JSON.stringify(value))).join(', ')
  const several = alternatives(schema)
  if (several.length > 1) return [...new Set(several.map(typeText))].join(' or ')
  if (schema.type === 'array') return `list of ${typeText(schema.items)}`
  const { additionalProperties: values } = schema
  if (schema.type === 'object' && isObject(values))
    return Object.keys(values).length === 0 ? 'map of any JSON' : `map of ${typeText(values)}`
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : schema.type
  return typeof type === 'string' ? [type, range(schema)].filter((part) => part !== '').join(' ') : 'any JSON'
}

function alternatives(schema: unknown): readonly unknown[] {
  if (!isObject(schema)) return []
  const several = schema.oneOf ?? schema.anyOf
  return Array.isArray(several) ? several.flatMap(alternatives) : [schema]
}

/** Returns the fields of an object, of all its alternatives and of the objects in it that are not shared. */
function fieldsOf(schema: unknown, parent: string): readonly ApiField[] {
  const parts = isObject(schema) && Array.isArray(schema.allOf) ? schema.allOf : [schema]
  const found = new Map<string, ApiField>()
  for (const part of parts.flatMap(alternatives))
    for (const field of ownFields(part, parent)) {
      const known = found.get(field.path)
      found.set(field.path, known === undefined ? field : { ...known, type: joined(known.type, field.type) })
    }
  return [...found.values()]
}

function joined(one: string, other: string): string {
  return one === other || one.split(', ').includes(other) ? one : `${one}, ${other}`
}

function ownFields(schema: unknown, parent: string): readonly ApiField[] {
  if (!isObject(schema)) return []
  const wanted = Array.isArray(schema.required) ? schema.required : []
  const members = isObject(schema.properties) ? Object.entries(schema.properties) : []
  return members.flatMap(([name, member]) => {
    const path = parent === '' ? name : `${parent}.${name}`
    return [fieldOf(member, path, wanted.includes(name)), ...innerFields(member, path)]
  })
}

function innerFields(member: unknown, path: string): readonly ApiField[] {
  if (!isObject(member)) return []
  if (member.type === 'array') return fieldsOf(member.items, `${path}[]`)
  return isObject(member.additionalProperties)
    ? fieldsOf(member.additionalProperties, `${path}.<name>`)
    : fieldsOf(member, path)
}

function fieldOf(member: unknown, path: string, required: boolean): ApiField {
  const { default: defaultValue, description }: Json = isObject(member) ? member : {}
  return {
    path,
    type: typeText(member),
    required,
    defaultValue: defaultValue === undefined ? undefined : JSON.stringify(defaultValue),
    description: typeof description === 'string' ? description : '',
  }
}

/** The value that zod writes for an integer without a bound. */
const NO_BOUND = Number.MAX_SAFE_INTEGER

function range({ minimum, maximum, maxLength }: Json): string {
  const low = typeof minimum === 'number' && minimum > -NO_BOUND ? minimum : undefined
  const high = typeof maximum === 'number' && maximum < NO_BOUND ? maximum : undefined
  if (low !== undefined && high !== undefined) return `${shown(low)} to ${shown(high)}`
  if (low !== undefined) return `from ${shown(low)}`
  if (high !== undefined) return `to ${shown(high)}`
  return typeof maxLength === 'number' ? `(at most ${shown(maxLength)} characters)` : ''
}

function shown(value: number): string {
  return value.toLocaleString('en-US')
}
