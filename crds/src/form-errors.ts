import type { z } from 'zod'
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

/** What the form of a resource is refused for: `spec.path: …`, `unknown field spec.rows`; empty: it is fine. */
export type FormJudge = (kind: KindName, object: unknown) => readonly string[]

/**
 * Judges resources without an API server. Fields that nobody knows are among what it finds; rules over several fields (CEL)
 * and over time are the API server's alone.
 */
export function createFormJudge(): FormJudge {
  const schemas = new Map<KindName, JsonObject>()
  return (kind, object) => {
    const schema = schemas.get(kind) ?? structuralSchema(KINDS[kind].spec)
    schemas.set(kind, schema)
    // As it is sent: what JSON can't hold isn't there.
    return formErrors(kind, JSON.parse(JSON.stringify(object)), schema)
  }
}

function formErrors(kind: KindName, object: Json, schema: JsonObject): readonly string[] {
  const { error } = KINDS[kind].whole.safeParse(object)
  const given = isJsonObject(object) ? object : {}
  return [
    ...(error?.issues ?? []).map((issue) => `${pathOf(issue)}: ${issue.message}`),
    ...nameErrors(given),
    ...Object.keys(given)
      .filter((key) => !['apiVersion', 'kind', 'metadata', 'spec', 'status'].includes(key))
      .map((key) => `unknown field ${key}`),
    ...unknownFields(schema, given.spec ?? {}, 'spec'),
  ]
}

function nameErrors({ metadata }: JsonObject): readonly string[] {
  const name = isJsonObject(metadata) ? metadata.name : undefined
  const isBad = typeof name === 'string' && (name.length > 40 || !new RegExp(NAME_PATTERN).test(name))
  return isBad ? ['metadata.name: must be a DNS label of at most 40 characters that begins with a letter'] : []
}

function pathOf({ path }: z.core.$ZodIssue): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .slice(1)
}

function unknownFields(schema: Json | undefined, value: Json, at: string): readonly string[] {
  if (!isJsonObject(schema) || schema['x-kubernetes-preserve-unknown-fields'] === true) return []
  if (Array.isArray(value)) return value.flatMap((item, index) => unknownFields(schema.items, item, `${at}[${index}]`))
  if (!isJsonObject(value)) return []
  const { properties } = schema
  return Object.entries(value).flatMap(([key, item]) => {
    if (!isJsonObject(properties)) return unknownFields(schema.additionalProperties, item, `${at}.${key}`)
    return Object.hasOwn(properties, key)
      ? unknownFields(properties[key], item, `${at}.${key}`)
      : [`unknown field ${at}.${key}`]
  })
}
