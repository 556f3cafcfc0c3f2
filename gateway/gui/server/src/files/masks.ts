import { checkGlConfig, type References } from '@llm-gateway/conf'

import { decodedJson } from './json-places.ts'
import type { KnownFile } from './known-files.ts'
import { type MaskedText, maskJson, type SecretSources, type Unmasked, unmaskJson } from './masked-json.ts'
import { maskNats, unmaskNats } from './masked-nats.ts'
import type { SecretNames } from './secret-parts.ts'

export type Masks = {
  mask(text: string): MaskedText
  unmask(text: string, sources: SecretSources): Unmasked
  readonly names: SecretNames
}

/** Returns the masks of a file; `names` are the headers and parameters with secret values. */
export function masksOf(file: KnownFile, names: SecretNames): Masks {
  if (file.kind === 'nats') return { mask: maskNats, unmask: unmaskNats, names }
  return { mask: (text) => maskJson(text, names), unmask: (text, sources) => unmaskJson(text, sources, names), names }
}

const NO_REFERENCES: References = { environment: {} }

/** Collects the masked names of the shipped gl_config.json and of other files, valid or not, in lower case. */
export function secretNames(glConfigs: readonly (string | undefined)[]): SecretNames {
  const check = checkGlConfig(Buffer.from('{}'), NO_REFERENCES, { acceptMissing: true })
  const shipped = check.kind === 'checked' ? [check.config.settings] : []
  const written = glConfigs.map((text) => (text === undefined ? undefined : decoded(text)))
  const lower = (key: 'masked_headers' | 'masked_query_parameters') =>
    new Set(
      [...shipped.flatMap((settings) => settings[key]), ...written.flatMap((settings) => textsAt(settings, key))].map(
        lowerCase,
      ),
    )
  return { headers: lower('masked_headers'), parameters: lower('masked_query_parameters') }
}

const lowerCase = (name: string) => name.toLowerCase()

function decoded(text: string): unknown {
  const file = decodedJson(text)
  return file.kind === 'decoded' ? file.value : undefined
}

function textsAt(config: unknown, key: string): readonly string[] {
  const { [key]: list }: { readonly [name: string]: unknown } = Object(config)
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : []
}
