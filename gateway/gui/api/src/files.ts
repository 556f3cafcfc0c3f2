import { z } from 'zod'
import { checkSchema } from './check.ts'
import { fieldPathSchema, fileVersionSchema } from './failure.ts'

/** The mask that stands for a secret. Saved in the same place it keeps the secret. */
export const MASKED = '[*****MASKED*****]'

export const fileNameSchema = z.enum([
  'gl_config.json',
  'gui_config.json',
  'nats-server.conf',
  'nats2log_config.json',
  'nats2file_config.json',
  'tokencounter_config.json',
  'ginit_config.json',
])
export type FileName = z.infer<typeof fileNameSchema>

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/)
export const MOST_TEXT = 8 * 1024 * 1024
const text = z.string().max(MOST_TEXT)

export const fileSummarySchema = z.object({
  name: fileNameSchema,
  kind: z.enum(['json', 'nats']),
  /** The service that reads the file, by its name in ginit_config.json. */
  service: z.string(),
  live: z.object({ digest: z.string() }).nullable(),
  draft: z
    .object({
      digest: z.string(),
      /** RFC 3339 */
      saved_at: z.string(),
      /** The name typed at login by the person who saved the draft last; unverified. */
      saved_by: z.string(),
      /** True if the live file changed since the draft began. */
      conflict: z.boolean(),
    })
    .nullable(),
  /**
   * The effect of a deploy: the gateway reads its file at once, services are restarted, the supervisor only by hand.
   */
  takes_effect: z.enum(['at_once', 'service_restart', 'by_hand']),
})
export type FileSummary = z.infer<typeof fileSummarySchema>

export const fileSchema = z.object({
  ...fileSummarySchema.shape,
  /** The live text, masked; null if there is no file. */
  live: fileVersionSchema.nullable(),
  /** The live text on which the draft began, masked; null if there is no draft. */
  base: fileVersionSchema.nullable(),
  /** The draft, or the live text if there is no draft. Masked. */
  text,
  /** The digest of `text`; send it as `tag` with the next change. */
  tag: digest,
  /** The check of `text`. */
  check: checkSchema,
  /** Patterns of paths that can't be changed here; `*` is any key or index. */
  read_only: z.array(fieldPathSchema),
  /** Paths whose text is masked, fully or in part. */
  masked: z.array(fieldPathSchema),
})
export type File = z.infer<typeof fileSchema>

/** A change of one place. Paths refer to the text after the preceding edits. */
const editSchema = z.discriminatedUnion('op', [
  /**
   * Writes a value and makes missing parents. Masks in the value keep the secrets of the same place, or of the place
   * `copied_from`, for example when a header is renamed.
   */
  z.strictObject({
    op: z.literal('set'),
    path: fieldPathSchema,
    value: z.unknown(),
    copied_from: fieldPathSchema.optional(),
  }),
  /** Inserts a value into an array, at an index up to its length. Masks take the secrets of `copied_from`. */
  z.strictObject({
    op: z.literal('insert'),
    path: fieldPathSchema,
    value: z.unknown(),
    copied_from: fieldPathSchema.optional(),
  }),
  z.strictObject({ op: z.literal('remove'), path: fieldPathSchema }),
  /** Moves an entry of an array; `to` is its index after it was taken out. */
  z.strictObject({ op: z.literal('move'), path: fieldPathSchema, to: z.int().min(0).max(1_000_000) }),
])
export type Edit = z.infer<typeof editSchema>

export const saveDraftSchema = z.union([
  z.strictObject({
    tag: digest,
    text,
    /** The digest of the live text that this text merges, after a conflict. */
    base: digest.optional(),
  }),
  z.strictObject({ tag: digest, edits: z.array(editSchema).min(1).max(1_000) }),
])
export type SaveDraft = z.infer<typeof saveDraftSchema>

/** A request to check a text without saving it. */
export const checkRequestSchema = z.strictObject({ tag: digest, text })

export const deployRequestSchema = z.strictObject({
  tag: digest,
  note: z.string().max(500).default(''),
  /** Deploys although routers are rejected. Without it such a draft is NOT_VALID. */
  accept_rejected: z.boolean().default(false),
})

export const deployResultSchema = z.object({
  file: fileNameSchema,
  digest: z.string(),
  /**
   * `live`: the file's program runs with it. `rejected`: the gateway runs without the routers in `rejected_fields`.
   * `refused`: the gateway keeps its former file. `unknown`: the file is written, but its program has not confirmed it
   * in time. `by_hand`: the file is written and needs a restart of everything.
   */
  result: z.enum(['live', 'rejected', 'refused', 'unknown', 'by_hand']),
  message: z.string(),
  rejected_fields: z.record(z.string(), z.string()),
  /** Milliseconds from the write to the gateway's answer. */
  took_ms: z.number(),
})
export type DeployResult = z.infer<typeof deployResultSchema>

export const archiveEntrySchema = z.object({
  file: fileNameSchema,
  digest,
  /** RFC 3339 */
  time: z.string(),
  /** `deployed` here, or `found`: it was live but did not come from here. */
  origin: z.enum(['deployed', 'found']),
  /** The name that the person typed at login; unverified. */
  name: z.string(),
  note: z.string(),
  bytes: z.number(),
  live: z.boolean(),
})
export type ArchiveEntry = z.infer<typeof archiveEntrySchema>

/** Makes an earlier version the draft. `tag` is that of the draft on the person's screen. */
export const restoreRequestSchema = z.strictObject({ tag: digest })
