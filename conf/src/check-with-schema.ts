import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { decodeFile } from './decode-file.ts'
import { withDefaultReferences } from './default-references.ts'
import { collectReferencedNames, expandAll, lookUp, type References } from './env-reference.ts'
import { isObject } from './json-object.ts'
import { unknownKeys } from './unknown-keys.ts'
import { type ValidationErrors, validationErrors } from './validation-errors.ts'

/** The result of checking a configuration file other than gl_config.json. */
export type FileCheck<T> =
  | { readonly kind: 'invalid'; readonly digest: string; readonly validationErrors: ValidationErrors }
  | {
      readonly kind: 'checked'
      readonly digest: string
      readonly fingerprint: string
      readonly config: T
      readonly unknownKeys: readonly string[]
    }

export type FileSchema<T> = {
  readonly schema: z.ZodType<T>
  /** The first part of every path in the result. */
  readonly root: string
  /** First-level keys that replace the file's; their values contain no references. */
  readonly overrides?: ReadonlyMap<string, unknown>
}

/** Decodes a file, expands its references and checks it against a schema. */
export function checkWithSchema<T>(bytes: Uint8Array, references: References, fileSchema: FileSchema<T>): FileCheck<T> {
  const { schema, root, overrides } = fileSchema
  const file = decodeFile(bytes)
  const { digest } = file
  if (file.kind === 'broken') return { kind: 'invalid', digest, validationErrors: { [root]: file.reason } }
  if (!isObject(file.value)) return { kind: 'invalid', digest, validationErrors: { [root]: 'type:object' } }
  const written = withDefaultReferences(file.value, schema)
  const expanded = overridden(expandAll(written, references), overrides)
  const parsed = schema.safeParse(expanded, { reportInput: true })
  if (!parsed.success) return { kind: 'invalid', digest, validationErrors: validationErrors(parsed.error, root) }
  const names = new Set<string>()
  collectReferencedNames(written, names)
  return {
    kind: 'checked',
    digest,
    fingerprint: fingerprint(digest, names, references),
    config: parsed.data,
    unknownKeys: unknownKeys(written, parsed.data, root),
  }
}

function overridden(expanded: unknown, overrides: ReadonlyMap<string, unknown> = new Map()): unknown {
  if (!isObject(expanded) || overrides.size === 0) return expanded
  return Object.fromEntries([...Object.entries(expanded), ...overrides])
}

/**
 * Returns the fingerprint for reloads, of the file's bytes and every referenced value. The fingerprint derives from
 * secrets and is never logged.
 */
export function fingerprint(digest: string, names: ReadonlySet<string>, references: References): string {
  const hash = createHash('sha256').update(digest)
  for (const name of [...names].sort()) hash.update(JSON.stringify([name, lookUp(name, references) ?? null]))
  return hash.digest('hex')
}
