import type { z } from 'zod'
import { referencedNames } from './env-reference.ts'
import { isObject } from './json-object.ts'

/**
 * Adds the schema's defaults that contain a reference (`${NATS_TOKEN}`) where the file has no value. This precedes the
 * expansion of references, so that a default's references are expanded once, like references that the file has.
 */
export function withDefaultReferences(written: unknown, schema: z.ZodType): unknown {
  const defaults = schema.safeParse({})
  return defaults.success ? overlay(written, defaults.data) : written
}

function overlay(written: unknown, defaults: unknown): unknown {
  if (written === undefined && typeof defaults === 'string')
    return referencedNames(defaults).length > 0 ? defaults : undefined
  if (!isObject(defaults) || !(written === undefined || isObject(written))) return written
  const added = Object.entries(defaults).flatMap(([key, value]) => {
    const own = written !== undefined && Object.hasOwn(written, key) ? written[key] : undefined
    const entry = overlay(own, value)
    return entry === own ? [] : [[key, entry] as const]
  })
  return added.length === 0 ? written : Object.fromEntries([...Object.entries(written ?? {}), ...added])
}
