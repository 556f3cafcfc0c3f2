import { checkWithSchema, type FileCheck } from './check-with-schema.ts'
import { type GinitConfig, ginitConfigSchema } from './ginit-config.ts'
import { type GuiConfig, guiConfigSchema } from './gui-config.ts'
import { type SinkConfig, sinkConfigSchema } from './sink-config.ts'
import { type TokenCounterConfig, tokenCounterConfigSchema } from './token-counter-config.ts'

export type { FileCheck } from './check-with-schema.ts'

import type { References } from './env-reference.ts'

export function checkSinkConfig(bytes: Uint8Array, references: References): FileCheck<SinkConfig> {
  return checkWithSchema(bytes, references, { schema: sinkConfigSchema, root: 'sink_config' })
}

export function checkTokenCounterConfig(bytes: Uint8Array, references: References): FileCheck<TokenCounterConfig> {
  return checkWithSchema(bytes, references, { schema: tokenCounterConfigSchema, root: 'tokencounter_config' })
}

export function checkGuiConfig(bytes: Uint8Array, references: References): FileCheck<GuiConfig> {
  return checkWithSchema(bytes, references, { schema: guiConfigSchema, root: 'gui_config' })
}

export function checkGinitConfig(bytes: Uint8Array, references: References): FileCheck<GinitConfig> {
  return checkWithSchema(bytes, references, { schema: ginitConfigSchema, root: 'ginit_config' })
}
