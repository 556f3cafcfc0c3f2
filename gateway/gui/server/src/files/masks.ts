import { checkGlConfig, type References } from '@llm-gateway/conf'

import type { KnownFile } from './known-files.ts'
import { type MaskedText, maskJson, type SecretSources, type Unmasked, unmaskJson } from './masked-json.ts'
import { maskNats, unmaskNats } from './masked-nats.ts'
import type { SecretNames } from './secret-parts.ts'

export type Masks = {
  mask(text: string): MaskedText
  unmask(text: string, sources: SecretSources): Unmasked
  readonly names: SecretNames
}

/** How a file's secrets are hidden; `liveGlConfig` names the headers and parameters that hold some. */
export function masksOf(file: KnownFile, names: SecretNames): Masks {
  if (file.kind === 'nats') return { mask: maskNats, unmask: unmaskNats, names }
  return { mask: (text) => maskJson(text, names), unmask: (text, sources) => unmaskJson(text, sources, names), names }
}

const NOTHING: References = { environment: {} }

/** The masked headers and parameters of a gl_config.json, and the shipped ones in any case. */
export function secretNames(glConfig: string | undefined): SecretNames {
  const texts = ['{}', ...(glConfig === undefined ? [] : [glConfig])]
  const settings = texts.flatMap((text) => {
    const check = checkGlConfig(Buffer.from(text), NOTHING, { acceptMissing: true })
    return check.kind === 'checked' ? [check.config.settings] : []
  })
  const lower = (lists: readonly (readonly string[])[]) => new Set(lists.flat().map((name) => name.toLowerCase()))
  return {
    headers: lower(settings.map((one) => one.masked_headers)),
    parameters: lower(settings.map((one) => one.masked_query_parameters)),
  }
}
