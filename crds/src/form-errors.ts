import { NAME_PATTERN } from './definition.ts'
import { llmGatewaySchema, llmGatewaySpecSchema } from './llm-gateway.ts'
import { processorSchema, processorSpecSchema } from './processor.ts'
import { routerSchema, routerSpecSchema } from './router.ts'
import { isJsonObject, type Json, type JsonObject, structuralSchema } from './structural-schema.ts'

const KINDS = {
  LLMGateway: { whole: llmGatewaySchema, spec: llmGatewaySpecSchema },
  Router: { whole: routerSchema, spec: routerSpecSchema },
  Processor: { whole: processorSchema, spec: processorSpecSchema },
} as const
export type KindName = keyof typeof KINDS

export function isKindName(kind: string): kind is KindName {
  return Object.hasOwn(KINDS, kind)
}

/** A fault at a place of a resource, given as keys and indexes from its root. */
export type FormFault = { readonly path: readonly (string | number)[]; readonly message: string }

/** Returns the reasons why a resource is refused: `spec.path: …`, `unknown field spec.rows`; empty: it is valid. */
export type FormJudge = (kind: KindName, object: unknown) => readonly string[]

/**
 * Makes a check of resources that needs no API server. The check finds unknown fields, too. Only the API server checks
 * rules over several fields (CEL) and over time.
 */
export function createFormJudge(): FormJudge {
  const find = createFaultFinder()
  return (kind, object) =>
    find(kind, object).map(({ path, message }) =>
      message === UNKNOWN ? `${UNKNOWN} ${fieldPath(path)}` : `${fieldPath(path)}: ${message}`,
    )
}

/** Makes the same check. Its faults have places instead of texts of paths. */
export function createFaultFinder(): (kind: KindName, object: unknown) => readonly FormFault[] {
  const schemas = new Map<KindName, JsonObject>()
  return (kind, object) => {
    const schema = schemas.get(kind) ?? structuralSchema(KINDS[kind].spec)
    schemas.set(kind, schema)
    // The object as it is sent, without values that JSON can't hold.
    return formFaults(kind, JSON.parse(JSON.stringify(object)), schema)
  }
}

const UNKNOWN = 'unknown field'

function formFaults(kind: KindName, object: Json, schema: JsonObject): readonly FormFault[] {
  const { error } = KINDS[kind].whole.safeParse(object)
  const given = isJsonObject(object) ? object : {}
  return [
    ...(error?.issues ?? []).map(({ path, message }) => ({ path: path.map(keyOf), message })),
    ...nameFaults(given),
    ...Object.keys(given)
      .filter((key) => !['apiVersion', 'kind', 'metadata', 'spec', 'status'].includes(key))
      .map((key) => ({ path: [key], message: UNKNOWN })),
    ...unknownFields(schema, given.spec ?? {}, ['spec']),
  ]
}

function keyOf(part: PropertyKey): string | number {
  return typeof part === 'number' ? part : String(part)
}

function nameFaults({ metadata }: JsonObject): readonly FormFault[] {
  const name = isJsonObject(metadata) ? metadata.name : undefined
  const isBad = typeof name === 'string' && (name.length > 40 || !new RegExp(NAME_PATTERN).test(name))
  const message = 'must be a DNS label of at most 40 characters that begins with a letter'
  return isBad ? [{ path: ['metadata', 'name'], message }] : []
}

/** Formats a path: `spec.headers[0]`. */
export function fieldPath(path: FormFault['path']): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
}

function unknownFields(schema: Json | undefined, value: Json, at: FormFault['path']): readonly FormFault[] {
  if (!isJsonObject(schema) || schema['x-kubernetes-preserve-unknown-fields'] === true) return []
  if (Array.isArray(value)) return value.flatMap((item, index) => unknownFields(schema.items, item, [...at, index]))
  if (!isJsonObject(value)) return []
  const { properties } = schema
  return Object.entries(value).flatMap(([key, item]) => {
    const place = [...at, key]
    if (!isJsonObject(properties)) return unknownFields(schema.additionalProperties, item, place)
    return Object.hasOwn(properties, key)
      ? unknownFields(properties[key], item, place)
      : [{ path: place, message: UNKNOWN }]
  })
}
