import type { z } from 'zod'
import { decodeFile } from './decode-file.ts'
import { withDefaultReferences } from './default-references.ts'
import { collectNames, expandAll } from './env-reference.ts'
import { fingerprint } from './fingerprint.ts'
import { type GinitConfig, ginitConfigSchema } from './ginit-config.ts'
import { type GuiConfig, guiConfigSchema } from './gui-config.ts'
import { isObject } from './json-object.ts'
import { validationErrors } from './reason.ts'
import { type SinkConfig, sinkConfigSchema } from './sink-config.ts'
import { type TokenCounterConfig, tokenCounterConfigSchema } from './token-counter-config.ts'
import type { References, ValidationErrors } from './types.ts'
import { unknownKeys } from './unknown-keys.ts'

/** A configuration file other than gl_config.json, judged as a whole. */
export type FileCheck<T> =
  | { readonly kind: 'invalid'; readonly digest: string; readonly validationErrors: ValidationErrors }
  | {
      readonly kind: 'checked'
      readonly digest: string
      readonly fingerprint: string
      readonly config: T
      readonly unknownKeys: readonly string[]
    }

export function checkSinkConfig(bytes: Uint8Array, references: References): FileCheck<SinkConfig> {
  return checkFile(bytes, references, { schema: sinkConfigSchema, root: 'sink_config' })
}

export function checkTokenCounterConfig(bytes: Uint8Array, references: References): FileCheck<TokenCounterConfig> {
  return checkFile(bytes, references, { schema: tokenCounterConfigSchema, root: 'tokencounter_config' })
}

export function checkGuiConfig(bytes: Uint8Array, references: References): FileCheck<GuiConfig> {
  return checkFile(bytes, references, { schema: guiConfigSchema, root: 'gui_config' })
}

export function checkGinitConfig(bytes: Uint8Array, references: References): FileCheck<GinitConfig> {
  return checkFile(bytes, references, { schema: ginitConfigSchema, root: 'ginit_config' })
}

/** `root` begins every path in the verdict. */
type Form<T> = { readonly schema: z.ZodType<T>; readonly root: string }

function checkFile<T>(bytes: Uint8Array, references: References, { schema, root }: Form<T>): FileCheck<T> {
  const file = decodeFile(bytes)
  const { digest } = file
  if (file.kind === 'broken') return { kind: 'invalid', digest, validationErrors: { [root]: file.reason } }
  if (!isObject(file.value)) return { kind: 'invalid', digest, validationErrors: { [root]: 'type:object' } }
  const written = withDefaultReferences(file.value, schema)
  const parsed = schema.safeParse(expandAll(written, references), { reportInput: true })
  if (!parsed.success) return { kind: 'invalid', digest, validationErrors: validationErrors(parsed.error, root) }
  const names = new Set<string>()
  collectNames(written, names)
  return {
    kind: 'checked',
    digest,
    fingerprint: fingerprint(digest, names, references),
    config: parsed.data,
    unknownKeys: unknownKeys(written, parsed.data, root),
  }
}
