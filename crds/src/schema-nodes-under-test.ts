import { isJsonObject, type Json, type JsonObject } from './structural-schema.ts'

/** A schema within a CRD's schema. */
export type SchemaNode = {
  readonly kind: string
  /** The path of the field, such as `.spec.env[].name`; `{}` stands for the values of a map. */
  readonly at: string
  readonly node: JsonObject
}

/** Returns every schema of a CRD, from its root down. */
export function schemaNodes(definition: Json): readonly SchemaNode[] {
  const kind = String(under(definition, ['spec', 'names', 'kind']))
  const root = under(definition, ['spec', 'versions', '0', 'schema', 'openAPIV3Schema'])
  return [...below(root, '')].map(({ at, node }) => ({ kind, at, node }))
}

function under(node: Json, path: readonly string[]): Json {
  return path.reduce<Json>((node, key) => Object.entries(node ?? {}).find(([name]) => name === key)?.[1] ?? null, node)
}

function* below(node: Json | undefined, at: string): Generator<{ at: string; node: JsonObject }> {
  if (!isJsonObject(node)) return
  yield { at, node }
  yield* below(node.items, `${at}[]`)
  yield* below(node.additionalProperties, `${at}{}`)
  if (!isJsonObject(node.properties)) return
  for (const [name, property] of Object.entries(node.properties)) yield* below(property, `${at}.${name}`)
}
