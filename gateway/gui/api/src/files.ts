import { z } from 'zod'
import { checkSchema } from './check.ts'
import { fieldPathSchema, fileVersionSchema } from './failure.ts'

/** The mask that stands for a secret. Saved in the same place it keeps the secret. */
export const MASKED = '[*****MASKED*****]'

export const fileNameSchema = z
  .enum([
    'gl_config.json',
    'gui_config.json',
    'nats-server.conf',
    'nats2log_config.json',
    'nats2file_config.json',
    'tokencounter_config.json',
    'ginit_config.json',
  ])
  .meta({ id: 'FileName', description: 'The name of a configuration file.' })
export type FileName = z.infer<typeof fileNameSchema>

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/)
export const MOST_TEXT = 8 * 1024 * 1024
const text = z.string().max(MOST_TEXT)
const tag = digest.describe(
  'The `tag` of the last answer about this file. If the text was changed since, the request is refused with `CONFLICT`.',
)

export const fileSummarySchema = z
  .object({
    name: fileNameSchema.describe('The name of the file.'),
    kind: z.enum(['json', 'nats']).describe('`json`, or `nats`: the format of nats-server.conf.'),
    service: z.string().describe('The program that reads the file, by its name in `services` of gui_config.json.'),
    live: z
      .object({ digest: z.string().describe('The digest of the live text.') })
      .nullable()
      .describe('The live file; null if there is none, or one that is over 8 MiB or not UTF-8.'),
    draft: z
      .object({
        digest: z.string().describe('The digest of the draft.'),
        saved_at: z.string().describe('RFC 3339: when the draft was saved last.'),
        saved_by: z
          .string()
          .describe('The name, typed at login, of the person who saved the draft last; `script` for a bearer token.'),
        conflict: z.boolean().describe('True if the live file changed after the draft began.'),
      })
      .nullable()
      .describe('The draft; null if there is none. A draft that equals the live file is none.'),
    takes_effect: z
      .enum(['at_once', 'service_restart', 'by_hand'])
      .describe(
        'The effect of a deploy. `at_once`: the gateway takes the file over. `service_restart`: the supervisor restarts the program. `by_hand`: all services need a restart.',
      ),
  })
  .meta({ id: 'FileSummary', description: 'A configuration file without its texts.' })
export type FileSummary = z.infer<typeof fileSummarySchema>

export const fileSchema = z
  .object({
    ...fileSummarySchema.shape,
    live: fileVersionSchema
      .nullable()
      .describe('The live text; null if there is no file, or one that is over 8 MiB or not UTF-8.'),
    base: fileVersionSchema.nullable().describe('The live text on which the draft began; null if there is no draft.'),
    text: text.describe('The draft, or the live text if there is no draft; masked.'),
    tag: digest.describe('The digest of `text` with its secrets. Send it with the next change.'),
    check: checkSchema.describe('The check of `text`.'),
    read_only: z
      .array(fieldPathSchema)
      .describe(
        'The places that can be changed on the machine only; `*` stands for each key or index. Empty for nats-server.conf, of which a save refuses parts by rules of its own.',
      ),
    masked: z.array(fieldPathSchema).describe('The places whose text is masked, as a whole or in part.'),
  })
  .meta({ id: 'File', description: 'A configuration file: its live text, its draft and the check.' })
export type File = z.infer<typeof fileSchema>

const setPath = fieldPathSchema.describe('The place. It refers to the text after the edits before this one.')
const value = z.unknown().describe('The value to write: any JSON.')
const copiedFrom = fieldPathSchema
  .optional()
  .describe('The place whose secrets the masks in `value` keep, for example when a header is renamed. Absent: `path`.')

/** A change of one place. Paths refer to the text after the preceding edits. */
const editSchema = z
  .discriminatedUnion('op', [
    z
      .strictObject({
        op: z.literal('set').describe('The kind of the edit.'),
        path: setPath,
        value,
        copied_from: copiedFrom,
      })
      .describe('Writes a value and makes missing parents.'),
    z
      .strictObject({
        op: z.literal('insert').describe('The kind of the edit.'),
        path: fieldPathSchema.describe('A list and an index up to its length.'),
        value,
        copied_from: copiedFrom,
      })
      .describe('Inserts a value into a list.'),
    z
      .strictObject({ op: z.literal('remove').describe('The kind of the edit.'), path: setPath })
      .describe('Removes a value.'),
    z
      .strictObject({
        op: z.literal('move').describe('The kind of the edit.'),
        path: fieldPathSchema.describe('The place of an entry of a list.'),
        to: z.int().min(0).max(1_000_000).describe('The index of the entry afterwards.'),
      })
      .describe('Moves an entry of a list.'),
  ])
  .meta({ id: 'Edit', description: 'A change of one place of a JSON file.' })
export type Edit = z.infer<typeof editSchema>

export const saveDraftSchema = z.union([
  z
    .strictObject({
      tag,
      text: text.describe('The whole text. A mask keeps the secret of its place.'),
      base: digest
        .optional()
        .describe(
          'After a conflict: the digest of the live text that this text merges. Absent: the draft keeps its base.',
        ),
    })
    .describe('A whole text.'),
  z
    .strictObject({
      tag,
      edits: z
        .array(editSchema)
        .min(1)
        .max(1_000)
        .describe(
          'The changes, in this order: 1 to 1,000. The number times the size of the file is at most 64 MiB, such as 8 changes of a file of 8 MiB. Not for nats-server.conf.',
        ),
    })
    .describe('Changes of single values.'),
])
export type SaveDraft = z.infer<typeof saveDraftSchema>

/** A request to check a text without saving it. */
export const checkRequestSchema = z.strictObject({
  tag: digest.describe('The `tag` of the last answer about this file. The check does not compare it.'),
  text: text.describe('The whole text. A mask keeps the secret of its place.'),
})

export const deployRequestSchema = z.strictObject({
  tag: digest.describe(
    'The `tag` of the draft. If the draft was changed since, the request is refused with `CONFLICT`.',
  ),
  note: z.string().max(500).default('').describe('A note for the list of earlier versions.'),
  accept_rejected: z
    .boolean()
    .default(false)
    .describe(
      'True deploys although routers would be rejected that are not rejected now. Without it such a draft is `NOT_VALID`.',
    ),
})

export const deployResultSchema = z.object({
  file: fileNameSchema.describe('The name of the file.'),
  digest: z.string().describe('The digest of the text that was written.'),
  result: z
    .enum(['live', 'rejected', 'refused', 'unknown', 'by_hand'])
    .describe(
      '`live`: the file’s program runs with it. `rejected`: the gateway uses the file and rejects routers that it did not reject before. `refused`: the gateway keeps its former configuration. `unknown`: the file is written, but its program has not confirmed it in time, 15 seconds for the gateway. `by_hand`: the file is written and needs a restart of all services.',
    ),
  message: z.string().describe('A text for people.'),
  rejected_fields: z
    .record(z.string(), z.string())
    .describe('The path of each field that the gateway rejects and its reason, at most 16. Empty for other files.'),
  took_ms: z.number().describe('Milliseconds from the beginning of the write to the outcome.'),
})
export type DeployResult = z.infer<typeof deployResultSchema>

export const archiveEntrySchema = z
  .object({
    file: fileNameSchema.describe('The name of the file.'),
    digest: digest.describe('The digest of the text.'),
    time: z.string().describe('RFC 3339: when the version was deployed or found.'),
    origin: z
      .enum(['deployed', 'found'])
      .describe('`deployed`: by the web interface. `found`: it was live before a deploy and did not come from here.'),
    name: z
      .string()
      .describe(
        'The name, typed at login, of the person who deployed it; `script` for a bearer token; empty for `found`.',
      ),
    note: z.string().describe('The note of the deploy; empty without one.'),
    bytes: z.number().describe('The bytes of the text.'),
    live: z.boolean().describe('True if this version is the live one.'),
  })
  .meta({ id: 'ArchiveEntry', description: 'An earlier version of a file, without its text.' })
export type ArchiveEntry = z.infer<typeof archiveEntrySchema>

/** Makes an earlier version the draft. */
export const restoreRequestSchema = z.strictObject({ tag })
