import { z } from 'zod'
import { checkSchema } from './check.ts'
import { fieldPathSchema, fileVersionSchema } from './failure.ts'

/** This mark stands in a text where a secret was written; saved in its place it keeps the secret. */
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
  /** The service that reads it, as ginit_config.json names it. */
  service: z.string(),
  live: z.object({ digest: z.string() }).nullable(),
  draft: z
    .object({
      digest: z.string(),
      /** RFC 3339 */
      saved_at: z.string(),
      /** The person who saved the draft last, as named at login; nobody has checked it. */
      saved_by: z.string(),
      /** The live file is another than the one that the draft began with. */
      conflict: z.boolean(),
    })
    .nullable(),
  /** A deploy's effect: the gateway reads its file at once, services are started anew, the supervisor only by hand. */
  takes_effect: z.enum(['at_once', 'service_restart', 'by_hand']),
})
export type FileSummary = z.infer<typeof fileSummarySchema>

export const fileSchema = z.object({
  ...fileSummarySchema.shape,
  /** The text that runs, masked; null: there is no file. */
  live: fileVersionSchema.nullable(),
  /** The text that the draft began with, masked; null: there is no draft. */
  base: fileVersionSchema.nullable(),
  /** What is edited: the draft, or the live text where there is none. Masked. */
  text,
  /** Of `text`; send it as `tag` with the next change. */
  tag: digest,
  /** Of `text`. */
  check: checkSchema,
  /** Patterns of paths that can't be changed here; `*` is any key or index. */
  read_only: z.array(fieldPathSchema),
  /** Paths whose text, or part of it, is masked. */
  masked: z.array(fieldPathSchema),
})
export type File = z.infer<typeof fileSchema>

/** A change of one place; paths are those of the text before this edit and after the ones before it. */
const editSchema = z.discriminatedUnion('op', [
  /**
   * Writes a value; keys on the way are made. Masked texts in it keep what stood in their place, or below `copied_from` (a
   * header that gets another name).
   */
  z.strictObject({
    op: z.literal('set'),
    path: fieldPathSchema,
    value: z.unknown(),
    copied_from: fieldPathSchema.optional(),
  }),
  /** Puts a value into an array, at an index that may be its length. Masked texts come from below `copied_from`. */
  z.strictObject({
    op: z.literal('insert'),
    path: fieldPathSchema,
    value: z.unknown(),
    copied_from: fieldPathSchema.optional(),
  }),
  z.strictObject({ op: z.literal('remove'), path: fieldPathSchema }),
  /** Moves an entry of an array; `to` is its index when it is taken out. */
  z.strictObject({ op: z.literal('move'), path: fieldPathSchema, to: z.int().min(0).max(1_000_000) }),
])
export type Edit = z.infer<typeof editSchema>

export const saveDraftSchema = z.union([
  z.strictObject({
    tag: digest,
    text,
    /** Digest of the live text that this text took in, after a conflict. */
    base: digest.optional(),
  }),
  z.strictObject({ tag: digest, edits: z.array(editSchema).min(1).max(1_000) }),
])
export type SaveDraft = z.infer<typeof saveDraftSchema>

/** Judges a text without saving it. */
export const checkRequestSchema = z.strictObject({ tag: digest, text })

export const deployRequestSchema = z.strictObject({
  tag: digest,
  note: z.string().max(500).default(''),
  /** Deploy although routers are rejected; without it such a draft is NOT_VALID. */
  accept_rejected: z.boolean().default(false),
})

export const deployResultSchema = z.object({
  file: fileNameSchema,
  digest: z.string(),
  /**
   * `live`: its program runs with it. `rejected`: the gateway runs with it, without the routers in `rejected_fields`.
   * `refused`: the gateway keeps what it had. `unknown`: the file is written, its program hasn't said anything in time.
   * `by_hand`: the file is written and needs a restart of everything.
   */
  result: z.enum(['live', 'rejected', 'refused', 'unknown', 'by_hand']),
  message: z.string(),
  rejected_fields: z.record(z.string(), z.string()),
  /** From the write to the gateway's answer. */
  took_ms: z.number(),
})
export type DeployResult = z.infer<typeof deployResultSchema>

export const archiveEntrySchema = z.object({
  file: fileNameSchema,
  digest,
  /** RFC 3339 */
  time: z.string(),
  /** `deployed` here, or `found`: it was live and came from elsewhere. */
  origin: z.enum(['deployed', 'found']),
  /** As the person wrote it at login; nobody has checked it. */
  name: z.string(),
  note: z.string(),
  bytes: z.number(),
  live: z.boolean(),
})
export type ArchiveEntry = z.infer<typeof archiveEntrySchema>

/** Makes an earlier version the draft. `tag` is the draft's as the person saw it. */
export const restoreRequestSchema = z.strictObject({ tag: digest })
