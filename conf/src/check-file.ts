import type { z } from 'zod'
import { errorsOf, fingerprintOf } from './check-gl-config.ts'
import { decodeFile } from './decode-file.ts'
import { expandAll } from './env-reference.ts'
import { type GinitConfig, ginitConfigSchema } from './ginit-config.ts'
import { type GuiConfig, guiConfigSchema } from './gui-config.ts'
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
  return checkFile(bytes, references, sinkConfigSchema, 'sink_config')
}

export function checkTokenCounterConfig(bytes: Uint8Array, references: References): FileCheck<TokenCounterConfig> {
  return checkFile(bytes, references, tokenCounterConfigSchema, 'tokencounter_config')
}

export function checkGuiConfig(bytes: Uint8Array, references: References): FileCheck<GuiConfig> {
  return checkFile(bytes, references, guiConfigSchema, 'gui_config')
}

export function checkGinitConfig(bytes: Uint8Array, references: References): FileCheck<GinitConfig> {
  return checkFile(bytes, references, ginitConfigSchema, 'ginit_config')
}

function checkFile<T>(bytes: Uint8Array, references: References, schema: z.ZodType<T>, root: string): FileCheck<T> {
  const file = decodeFile(bytes)
  if (file.kind === 'broken') return { kind: 'invalid', digest: file.digest, validationErrors: { [root]: file.reason } }
  const { digest, value } = file
  const expanded = expandAll(value, references, new Set())
  const parsed = schema.safeParse(expanded)
  if (!parsed.success) return { kind: 'invalid', digest, validationErrors: errorsOf(parsed.error, root) }
  const fingerprint = fingerprintOf(bytes, references)
  return {
    kind: 'checked',
    digest,
    fingerprint,
    config: parsed.data,
    unknownKeys: unknownKeys(value, parsed.data, root),
  }
}
