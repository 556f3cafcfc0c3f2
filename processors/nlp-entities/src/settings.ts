import { numberSetting } from '@llm-gateway/sdk/settings'
import { z } from 'zod'
import { FURTHER_LABELS } from './entity.ts'

const MAX_CHARACTERS = 1_000_000
const MAX_ENTITIES = 10_000
const MAX_TIMEOUT_MS = 600_000
const MAX_ROUTERS = 10_000

const paths = z.array(z.string().regex(/[^.[\]]/, 'path:')).max(100)
const milliseconds = numberSetting().pipe(z.int().min(1).max(MAX_TIMEOUT_MS))

export const nlpEntitiesSettings = z.object({
  /** The paths of texts in `outbound_payload`; absent: texts are found where the known LLM APIs put them. */
  request_paths: paths.optional(),
  /** The paths of texts in `egress_payload`; absent: texts are found where the known LLM APIs put them. */
  response_paths: paths.optional(),
  /** Paths of single routers; the row must select `gl_path`. */
  routers: z
    .array(z.object({ router: z.string(), request_paths: paths.optional(), response_paths: paths.optional() }))
    .max(MAX_ROUTERS)
    .default([]),
  /** Only these labels are written; empty: all. */
  labels: z.array(z.string()).max(100).default([]),
  /** Labels that identify people; the built-in recognizer writes only those named here. */
  further_labels: z.array(z.enum(FURTHER_LABELS)).default([]),
  /** The characters of a message's texts that are searched. */
  max_characters: numberSetting().pipe(z.int().min(1).max(MAX_CHARACTERS)).default(32_768),
  max_entities: numberSetting().pipe(z.int().min(1).max(MAX_ENTITIES)).default(1_000),
  /** The built-in recognizer's limit for each 4,096 characters. */
  timeout_ms: milliseconds.default(10_000),
  /** Replaces the built-in recognizer. */
  endpoint: z
    .object({
      url: z.string(),
      headers: z.record(z.string(), z.string()).default({}),
      timeout_ms: milliseconds.default(5_000),
    })
    .optional(),
})

export type NlpEntitiesSettings = z.infer<typeof nlpEntitiesSettings>
