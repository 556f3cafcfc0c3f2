import { z } from 'zod'

/** What a request can fail with; programs read the code, people the message. */
export const failureCodeSchema = z.enum([
  /** No session, or one that has ended: log in. */
  'NOT_LOGGED_IN',
  'WRONG_SECRET',
  /** Too many wrong secrets, from whatever address; `retry_after_seconds` says when the next try is judged. */
  'LOCKED',
  /** GUI_SECRET is not set, so nobody can know it. */
  'LOGIN_IMPOSSIBLE',
  /** The header `X-Csrf-Token` is missing or belongs to another session, or another site sent the request. */
  'FOREIGN_REQUEST',
  /** The name in the address is not one of this machine and not in `allowed_hosts`. */
  'HOST_NOT_ALLOWED',
  /** The request doesn't have the form that the interface asks for; `fields` says where. */
  'BAD_REQUEST',
  'BODY_TOO_LARGE',
  'NOT_FOUND',
  /** Somebody changed the draft or the live file meanwhile; `conflict` holds the texts. */
  'CONFLICT',
  /** The change touches fields that can only be changed on the machine itself; `fields` names them. */
  'READ_ONLY',
  /** `[*****MASKED*****]` stands where nothing was masked, so there is no text to keep; `fields` says where. */
  'MASKED_NOWHERE',
  /** The draft can't run; `check` says why. */
  'NOT_VALID',
  /** There is no draft to deploy. */
  'NO_DRAFT',
  /** The live file can't be written. */
  'NOT_WRITABLE',
  /** The gateway doesn't answer. */
  'GATEWAY_NOT_REACHABLE',
  /** The web interface of this LLMGateway only shows: `spec.webInterface.mode` isn't Edit. */
  'READ_ONLY_MODE',
  /** Other managers own fields that the manifest sets otherwise; `managers` names both. */
  'CONFLICT_OF_MANAGERS',
  /** The resource was changed, made or deleted since it was seen. */
  'RESOURCE_CHANGED',
  /** The API server doesn't allow it to the account of the web interface; `command` gives the right. */
  'FORBIDDEN',
  /** The API server doesn't answer. */
  'CLUSTER_NOT_REACHABLE',
  /** More of these run at once than the interface serves. */
  'TOO_MANY',
  'INTERNAL',
])
export type FailureCode = z.infer<typeof failureCodeSchema>

/** A place in a JSON file: keys and indexes from its root. */
export const fieldPathSchema = z.array(z.union([z.string().max(1_000), z.int().min(0).max(1_000_000)])).max(64)
export type FieldPath = z.infer<typeof fieldPathSchema>

/** A file's text, masked; `digest` is of the file's real bytes. */
export const fileVersionSchema = z.object({ digest: z.string(), text: z.string() })
export type FileVersion = z.infer<typeof fileVersionSchema>

/** Three texts to bring together. `base` is null where nobody has the common text any more. */
export const conflictSchema = z.object({
  file: z.string(),
  /** `live`: the live file is another than the one that the draft began with. `draft`: somebody else saved the draft. */
  kind: z.enum(['live', 'draft']),
  base: fileVersionSchema.nullable(),
  theirs: fileVersionSchema,
  yours: fileVersionSchema,
})
export type Conflict = z.infer<typeof conflictSchema>

export const failedFieldSchema = z.object({ path: fieldPathSchema, message: z.string() })
export type FailedField = z.infer<typeof failedFieldSchema>
