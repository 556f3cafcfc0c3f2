import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** Keywords to leave out: the API server fills in defaults, and x-kubernetes-* isn't JSON Schema. */
const LEFT_OUT = /^(x-kubernetes-.*|default|format)$/

/**
 * Returns the spec of one of our kinds as JSON Schema, which refuses unknown fields. Rules over several fields (CEL)
 * are left to the API server. `optional` names fields that the chart fills in.
 */
export function specSchema(root: string, plural: string, optional: readonly string[] = []): JsonObject {
  const file = join(root, 'crds/manifests', `llmgateway.io_${plural}.yaml`)
  const definition = parse(readFileSync(file, 'utf8'))
  const spec = jsonSchemaOf(definition.spec.versions[0].schema.openAPIV3Schema.properties.spec)
  if (!isJsonObject(spec)) throw new Error(`${file}: spec is no object`)
  const { required = [], ...rest } = spec
  const needed = Array.isArray(required) ? required.filter((name) => !optional.includes(String(name))) : []
  return needed.length === 0 ? rest : { ...rest, required: needed }
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function jsonSchemaOf(node: Json): Json {
  if (Array.isArray(node)) return node.map(jsonSchemaOf)
  if (!isJsonObject(node)) return node
  const isOpen = node['x-kubernetes-preserve-unknown-fields'] === true
  const entries = Object.entries(node)
    .filter(([key]) => !LEFT_OUT.test(key))
    .map(([key, value]): [string, Json] => {
      // Names of fields may equal a keyword.
      if (key === 'properties' && isJsonObject(value)) return [key, mapped(value)]
      return [key, jsonSchemaOf(value)]
    })
  const schema: JsonObject = Object.fromEntries(entries)
  const isClosed = schema.properties !== undefined && schema.additionalProperties === undefined && !isOpen
  return isClosed ? { ...schema, additionalProperties: false } : schema
}

function mapped(properties: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, jsonSchemaOf(schema)]))
}
