import { z } from 'zod'
import { rejectedFieldSchema, resourceVariableSchema } from './resource.ts'
import { conditionSchema, conditionStatusSchema, resourceKindSchema, resourcePlaceSchema } from './resources.ts'

/** More than the API server stores of one object. */
export const MOST_MANIFEST = 1024 * 1024
const manifest = z
  .string()
  .max(MOST_MANIFEST)
  .describe(
    'One resource as YAML or JSON. A mask stands for the literal that is stored at the same place; in `spec.outbound` only if the address stays the same.',
  )

export const manifestRequestSchema = z.strictObject({ manifest })

const manifestErrorSchema = z.object({
  path: z.string().describe('The path of the field; empty for the text as a whole.'),
  message: z.string().describe('The fault, for people.'),
  line: z.number().nullable().describe('The line, from 1; null if the place is not known.'),
  column: z.number().nullable().describe('The column, from 1; null if the place is not known.'),
})

const otherResourceSchema = z.object({
  kind: resourceKindSchema.describe('The kind of the resource.'),
  namespace: z.string().describe('The namespace of the resource.'),
  name: z.string().describe('The name of the resource.'),
  before: conditionStatusSchema.describe('The status of Ready now.'),
  after: conditionStatusSchema.describe('The status of Ready with the manifest.'),
  reason: z.string().describe('The reason of Ready with the manifest.'),
  message: z.string().describe('The message of Ready with the manifest, for people.'),
})

/** The verdict on a manifest. Nothing is written. */
export const resourceCheckSchema = z.object({
  place: resourcePlaceSchema
    .nullable()
    .describe('The resource that the manifest names; null if its name can’t be read.'),
  result: z
    .enum(['valid', 'not_ready', 'invalid', 'unknown'])
    .describe(
      '`valid`: no condition other than RecordsDurable would be False. `not_ready`: another condition would be False. `invalid`: see `errors`. `unknown`: the resource belongs to another LLMGateway, or the LLMGateway is not known yet.',
    ),
  stored: z
    .object({
      generation: z.number().describe('The generation of the stored resource.'),
      resource_version: z.string().describe('The version of the stored resource. Send it with the change.'),
    })
    .nullable()
    .describe('The stored resource of that name; null if there is none, or if it can’t be read.'),
  errors: z
    .array(manifestErrorSchema)
    .describe('The faults of the form, at most 100. Empty unless the result is `invalid`.'),
  conditions: z
    .array(conditionSchema)
    .describe(
      'The conditions that the operator would write, without knowledge of Secrets and pods. Empty if the result is `invalid` or `unknown`, like `rejected_fields`, `variables` and `others`.',
    ),
  rejected_fields: z.array(rejectedFieldSchema).describe('The fields that would keep the Router from working.'),
  variables: z
    .array(resourceVariableSchema)
    .describe('The variables that the Router refers to. Empty for other kinds.'),
  others: z
    .array(otherResourceSchema)
    .describe('Other Routers and Processors that would become ready or stop being ready, at most 50.'),
  file: z
    .object({
      before: z.string().describe('The parts as they are now, at most 128 KiB.'),
      after: z.string().describe('The parts with the manifest, at most 128 KiB.'),
      cut: z.boolean().describe('True if one of the two texts was longer.'),
    })
    .nullable()
    .describe(
      'The parts of gl_config.json that would change, masked; null if no part would change or the parts are not known.',
    ),
  diff: z
    .string()
    .describe(
      'A unified diff from the stored manifest to this one, both masked; empty if there is no difference, or if the result is `invalid`.',
    ),
  masked: z
    .array(z.string())
    .describe(
      'The masked places of the manifest, at most 100. A person who applies a copy of the manifest must first replace these masks by the values.',
    ),
  command: z.string().describe('The kubectl command of a dry run. It reads the manifest from standard input.'),
})
export type ResourceCheck = z.infer<typeof resourceCheckSchema>

export const applyRequestSchema = z.strictObject({
  manifest,
  resource_version: z
    .string()
    .max(64)
    .optional()
    .describe(
      'The version that the change is based on. If another version is stored, the request is refused with `RESOURCE_CHANGED`. Absent: any version.',
    ),
})

export const appliedSchema = z
  .object({
    result: z
      .enum(['created', 'changed', 'unchanged'])
      .describe(
        '`created`: no such resource was stored. `changed`: the manifest differs from the stored resource. `unchanged`: the manifest does not differ.',
      ),
    place: resourcePlaceSchema.describe('The resource.'),
    manifest: z.string().describe('The manifest after the write, masked.'),
    resource_version: z.string().describe('The version after the write.'),
    generation: z.number().describe('The generation after the write.'),
    diff: z
      .string()
      .describe('A unified diff of the manifest before and after, both masked; empty if there is no difference.'),
  })
  .meta({ id: 'Applied', description: 'The outcome of a write, or of a dry run, which stores nothing.' })
export type Applied = z.infer<typeof appliedSchema>

export const deleteQuerySchema = z.strictObject({
  resource_version: z
    .string()
    .max(64)
    .optional()
    .describe(
      'The version that the request is based on. If another version is stored, the request is refused with `RESOURCE_CHANGED`. Absent: any version.',
    ),
})
export const deletedSchema = z.object({ place: resourcePlaceSchema.describe('The resource that was deleted.') })
