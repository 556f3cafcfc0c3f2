import { numberSetting } from '@llm-gateway/sdk/settings'
import { z } from 'zod'
import { ENCODING_NAMES, type EncodingName } from './encodings.ts'

export const DEFAULT_ROUTER = 'default'
const MAX_ROUTERS = 1_000
const MAX_PATHS = 32

const paths = z.array(z.string().min(1).max(1_024)).max(MAX_PATHS)

const routerSettings = z.object({
  /** A router's path, or `default` for all routers without an entry. */
  router: z.union([z.literal(DEFAULT_ROUTER), z.string().regex(/^\/(.*\/)?$/, 'router:')]),
  /** The paths of texts in `ingress_payload`; absent: texts are found where the known LLM APIs put them. */
  request_paths: paths.optional(),
  /** The paths of texts in `inbound_payload`; absent: texts are found where the known LLM APIs put them. */
  response_paths: paths.optional(),
  encodings: z.array(z.enum(ENCODING_NAMES)).min(1).refine(areDifferent, 'unique:').default(['gpt2']),
})

export const tokenizerSettings = z.object({
  routers: z
    .array(routerSettings)
    .max(MAX_ROUTERS)
    .refine((routers) => areDifferent(routers.map(({ router }) => router)), 'unique:')
    .prefault([{ router: DEFAULT_ROUTER }]),
  /** True: counts with the encoding of the payload's model too, when there is one. */
  by_model: z.boolean().default(false),
  /** The characters of one payload's texts that are counted; the count of longer texts is extrapolated. */
  max_characters: numberSetting().pipe(z.int().min(1).max(16_777_216)).default(1_048_576),
})

export type TokenizerSettings = z.infer<typeof tokenizerSettings>

/** Returns the encodings that a count may need; with `by_model` a payload may name a model of any. */
export function encodingsOf({ routers, by_model }: TokenizerSettings): readonly EncodingName[] {
  return by_model ? ENCODING_NAMES : [...new Set(routers.flatMap(({ encodings }) => encodings))]
}

function areDifferent(values: readonly string[]): boolean {
  return new Set(values).size === values.length
}
