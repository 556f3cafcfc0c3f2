import { z } from 'zod'
import { checkSchema } from './check.ts'
import { bodyWithText, type Endpoint } from './endpoint.ts'
import { fileVersionSchema } from './failure.ts'
import {
  archiveEntrySchema,
  checkRequestSchema,
  deployRequestSchema,
  deployResultSchema,
  fileNameSchema,
  fileSchema,
  fileSummarySchema,
  MOST_TEXT,
  restoreRequestSchema,
  saveDraftSchema,
} from './files.ts'

const name = fileNameSchema.describe('The name of the file.')
const file = z.object({ file: name })
const version = z.object({
  file: name,
  digest: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/)
    .describe('The digest of the version, from the list of versions.'),
})

/** The requests that read and edit the files of a machine. */
export const fileEndpoints = {
  files: {
    method: 'GET',
    path: '/api/v1/files',
    summary: 'The configuration files and their drafts',
    access: 'session',
    edition: 'standalone',
    answer: z.object({
      files: z.array(fileSummarySchema).describe('The files that gui_config.json names, itself first.'),
    }),
    failures: ['TOO_MANY'],
  },
  file: {
    method: 'GET',
    path: '/api/v1/files/:file',
    summary: 'One file: the live text, the draft and its check',
    access: 'session',
    edition: 'standalone',
    parameters: file,
    answer: fileSchema,
    failures: ['NOT_FOUND', 'TOO_MANY'],
  },
  schema: {
    method: 'GET',
    path: '/api/v1/files/:file/schema',
    summary: 'The JSON Schema of a file, for editors',
    access: 'session',
    edition: 'standalone',
    parameters: file,
    answer: z
      .record(z.string(), z.unknown())
      .describe('A JSON Schema, draft 2020-12. nats-server.conf has none: `NOT_FOUND`.'),
    failures: ['NOT_FOUND', 'TOO_MANY'],
  },
  saveDraft: {
    method: 'PUT',
    path: '/api/v1/files/:file/draft',
    summary: 'Save the draft: a complete text, or changes of single values',
    access: 'session',
    changes: true,
    edition: 'standalone',
    parameters: file,
    body: saveDraftSchema,
    mostBody: bodyWithText(MOST_TEXT),
    answer: fileSchema,
    failures: ['NOT_FOUND', 'CONFLICT', 'READ_ONLY', 'MASKED_NOWHERE', 'NOT_WRITABLE', 'TOO_MANY'],
  },
  discardDraft: {
    method: 'DELETE',
    path: '/api/v1/files/:file/draft',
    summary: 'Discard the draft',
    access: 'session',
    changes: true,
    edition: 'standalone',
    parameters: file,
    query: z.strictObject({
      tag: z
        .string()
        .describe('The `tag` of the draft. If the draft was changed since, the request is refused with `CONFLICT`.'),
    }),
    answer: fileSchema,
    failures: ['NOT_FOUND', 'CONFLICT', 'NOT_WRITABLE', 'TOO_MANY'],
  },
  check: {
    method: 'POST',
    path: '/api/v1/files/:file/check',
    summary: 'Check a text without saving it',
    access: 'session',
    edition: 'standalone',
    parameters: file,
    body: checkRequestSchema,
    mostBody: bodyWithText(MOST_TEXT),
    answer: checkSchema,
    failures: ['NOT_FOUND', 'MASKED_NOWHERE', 'TOO_MANY'],
  },
  deploy: {
    method: 'POST',
    path: '/api/v1/files/:file/deploy',
    summary: 'Make the draft live',
    access: 'session',
    changes: true,
    edition: 'standalone',
    parameters: file,
    body: deployRequestSchema,
    answer: deployResultSchema,
    failures: ['NOT_FOUND', 'CONFLICT', 'NO_DRAFT', 'NOT_VALID', 'READ_ONLY', 'NOT_WRITABLE', 'TOO_MANY'],
  },
  archive: {
    method: 'GET',
    path: '/api/v1/files/:file/archive',
    summary: 'Earlier versions, newest first',
    access: 'session',
    edition: 'standalone',
    parameters: file,
    answer: z.object({
      entries: z
        .array(archiveEntrySchema)
        .describe(
          'The texts that were deployed here, and those that a deploy replaced, newest first, at most 1,000. Empty before the first deploy.',
        ),
    }),
    failures: ['NOT_FOUND', 'TOO_MANY'],
  },
  archived: {
    method: 'GET',
    path: '/api/v1/files/:file/archive/:digest',
    summary: 'One earlier version, masked',
    access: 'session',
    edition: 'standalone',
    parameters: version,
    answer: fileVersionSchema,
    failures: ['NOT_FOUND', 'TOO_MANY'],
  },
  restore: {
    method: 'POST',
    path: '/api/v1/files/:file/archive/:digest/restore',
    summary: 'Make an earlier version the draft, including its secrets',
    access: 'session',
    changes: true,
    edition: 'standalone',
    parameters: version,
    body: restoreRequestSchema,
    answer: fileSchema,
    failures: ['NOT_FOUND', 'CONFLICT', 'READ_ONLY', 'NOT_WRITABLE', 'TOO_MANY'],
  },
} as const satisfies Readonly<Record<string, Endpoint>>
