import { z } from 'zod'

/** The codes of failed requests. Programs read the code, people the message. */
export const failureCodeSchema = z
  .enum([
    'NOT_LOGGED_IN',
    'WRONG_SECRET',
    'LOCKED',
    'LOGIN_IMPOSSIBLE',
    'FOREIGN_REQUEST',
    'HOST_NOT_ALLOWED',
    'BAD_REQUEST',
    'BODY_TOO_LARGE',
    'NOT_FOUND',
    'CONFLICT',
    'READ_ONLY',
    'MASKED_NOWHERE',
    'NOT_VALID',
    'NO_DRAFT',
    'NOT_WRITABLE',
    'GATEWAY_NOT_REACHABLE',
    'READ_ONLY_MODE',
    'CONFLICT_OF_MANAGERS',
    'RESOURCE_CHANGED',
    'FORBIDDEN',
    'CLUSTER_NOT_REACHABLE',
    'TOO_MANY',
    'BUSY',
    'PAGE_NOT_BUILT',
    'INTERNAL',
  ])
  .meta({ id: 'FailureCode', description: 'A code of a failed request.' })
export type FailureCode = z.infer<typeof failureCodeSchema>

/** The status and the meaning of each code. */
export const FAILURES = {
  BAD_REQUEST: {
    status: 400,
    meaning: 'The request or its body has the wrong form; `fields` names the places where they are known.',
  },
  NOT_LOGGED_IN: {
    status: 401,
    meaning: 'The request has neither a password nor a session, or the session has ended.',
  },
  WRONG_SECRET: { status: 401, meaning: 'The password is wrong.' },
  FORBIDDEN: {
    status: 403,
    meaning:
      'The API server does not allow the request to the account of the web interface. `command` is a command that gives the right; it is absent where a quota or an admission policy refused.',
  },
  FOREIGN_REQUEST: {
    status: 403,
    meaning: '`X-Csrf-Token` is missing or belongs to another session, or another site sent the request.',
  },
  LOGIN_IMPOSSIBLE: {
    status: 403,
    meaning: '`GUI_SECRET` is not set in the environment of the web interface, so no password is right.',
  },
  READ_ONLY: {
    status: 403,
    meaning: 'The change touches fields that can be changed on the machine only; `fields` names them.',
  },
  READ_ONLY_MODE: {
    status: 403,
    meaning: 'This web interface is read-only: `spec.webInterface.mode` of the LLMGateway is not `Edit`.',
  },
  NOT_FOUND: { status: 404, meaning: 'The address, or the object that the request names, does not exist.' },
  CONFLICT: {
    status: 409,
    meaning:
      'Somebody changed the draft or the live file meanwhile. `conflict` holds the texts to merge; it is absent if the request is a deploy with an outdated `tag`.',
  },
  CONFLICT_OF_MANAGERS: {
    status: 409,
    meaning: 'The manifest changes fields of other managers; `managers` names the fields and their owners.',
  },
  NO_DRAFT: { status: 409, meaning: 'The file has no draft to deploy.' },
  RESOURCE_CHANGED: {
    status: 409,
    meaning:
      'The resource was changed, made or deleted after the version that the request names, or at the same moment.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    meaning:
      'The body is larger than 16 KiB, or than 20 MiB with a text of a file, 10 MiB in a trial call and 2.5 MiB with a manifest.',
  },
  HOST_NOT_ALLOWED: {
    status: 421,
    meaning:
      'The name in `Host` is none of the allowed ones: an IP address, `localhost`, the machine’s own name, or a name in `allowed_hosts` of gui_config.json.',
  },
  MASKED_NOWHERE: {
    status: 422,
    meaning: 'A mask is in a place where nothing was masked; `fields` names the places.',
  },
  NOT_VALID: {
    status: 422,
    meaning: 'The draft or the manifest cannot run; `check` or `fields` says why.',
  },
  LOCKED: {
    status: 429,
    meaning: 'Too many wrong passwords came in. `retry_after_seconds` says when the next password is checked.',
  },
  TOO_MANY: { status: 429, meaning: 'Too many requests of this kind run at once. Try again in a moment.' },
  INTERNAL: { status: 500, meaning: 'A fault of the web interface; its log has the place.' },
  NOT_WRITABLE: { status: 500, meaning: 'The file, its draft or its archive cannot be written. Nothing was changed.' },
  CLUSTER_NOT_REACHABLE: { status: 502, meaning: 'The API server does not answer, or answers with an error.' },
  GATEWAY_NOT_REACHABLE: { status: 502, meaning: 'The LLMGateway is not known yet, so no call can be made.' },
  BUSY: {
    status: 503,
    meaning:
      'The web interface has no memory or no time for the answer now: other requests are being worked on, or their callers read large answers slowly. `retry_after_seconds` says when to ask again.',
  },
  PAGE_NOT_BUILT: {
    status: 503,
    meaning:
      'A page of the web interface was asked for, and the page is not built yet. No request of this API answers so. `retry_after_seconds` says when to ask again.',
  },
} as const satisfies Readonly<Record<FailureCode, { readonly status: number; readonly meaning: string }>>

/** A place in a JSON file: keys and indexes from its root. */
export const fieldPathSchema = z
  .array(z.union([z.string().max(1_000), z.int().min(0).max(1_000_000)]))
  .max(64)
  .meta({
    id: 'FieldPath',
    description:
      'A place in a JSON file: keys and indexes from its root, such as `["routers", 0, "path"]`. Empty for the whole file.',
  })
export type FieldPath = z.infer<typeof fieldPathSchema>

/** A masked text of a file. */
export const fileVersionSchema = z
  .object({
    digest: z.string().describe('The SHA-256 of the real text as `sha256:` and 64 hexadecimal digits.'),
    text: z.string().describe('The text, with `[*****MASKED*****]` in place of secrets.'),
  })
  .meta({ id: 'FileVersion', description: 'A text of a file.' })
export type FileVersion = z.infer<typeof fileVersionSchema>

/** Three texts to merge. */
export const conflictSchema = z
  .object({
    file: z.string().describe('The name of the file.'),
    kind: z
      .enum(['live', 'draft'])
      .describe(
        '`live`: the live file changed after the draft began. `draft`: somebody saved the draft after the `tag` of the request.',
      ),
    base: fileVersionSchema
      .nullable()
      .describe('The text on which both changes began; null in a conflict of the draft.'),
    theirs: fileVersionSchema.describe('The text with the change of the others: the live text, or the stored draft.'),
    yours: fileVersionSchema.describe(
      'The text that the request would have saved or deployed. The same as `theirs` where the request names no text: `edits`, or a draft to discard.',
    ),
  })
  .meta({ id: 'Conflict', description: 'The texts of a conflict, to merge into a new draft.' })
export type Conflict = z.infer<typeof conflictSchema>

export const failedFieldSchema = z.object({
  path: fieldPathSchema.describe(
    'The place in the file or in the request. A place in a request begins with `parameters`, `query` or `body`; a place in a manifest is one text.',
  ),
  message: z.string().describe('A text for people.'),
})
export type FailedField = z.infer<typeof failedFieldSchema>
