import { isObject, valueAt } from '../json-value.ts'

/** Returns the schema of a part of a file, with the definitions that it may refer to. */
export function partOfSchema(schema: unknown, path: readonly string[]): object | undefined {
  const part = valueAt(schema, path)
  if (!isObject(part) || !isObject(schema)) return undefined
  return { ...part, $defs: schema.$defs, definitions: schema.definitions }
}
