import { z } from 'zod'

/** The codes of failed requests. Programs read the code, people the message. */
export const failureCodeSchema = z.enum([
  /** There is no session, or it has ended: log in. */
  'NOT_LOGGED_IN',
  'WRONG_SECRET',
  /** Too many wrong secrets from any addresses; `retry_after_seconds` says when the next secret is judged. */
  'LOCKED',
  /** GUI_SECRET is not set, so nobody can know the secret. */
  'LOGIN_IMPOSSIBLE',
  /** The header `X-Csrf-Token` is missing or belongs to another session, or another site sent the request. */
  'FOREIGN_REQUEST',
  /** The name in `Host` is neither this machine's nor in `allowed_hosts`. */
  'HOST_NOT_ALLOWED',
  /** The request doesn't fit the endpoint's schemas; `fields` names the places. */
  'BAD_REQUEST',
  'BODY_TOO_LARGE',
  'NOT_FOUND',
  /** Somebody changed the draft or the live file meanwhile; `conflict` holds the texts. */
  'CONFLICT',
  /** The change touches fields that can only be changed on the machine; `fields` names them. */
  'READ_ONLY',
  /** `[*****MASKED*****]` stands where nothing was masked, so there is no secret to keep; `fields` names the places. */
  'MASKED_NOWHERE',
  /** The draft can't run; `check` says why. */
  'NOT_VALID',
  /** There is no draft to deploy. */
  'NO_DRAFT',
  /** The live file can't be written. */
  'NOT_WRITABLE',
  /** The gateway doesn't answer. */
  'GATEWAY_NOT_REACHABLE',
  /** The web interface of this LLMGateway is read-only: `spec.webInterface.mode` isn't Edit. */
  'READ_ONLY_MODE',
  /** The manifest changes fields that other managers own; `managers` names the fields and their owners. */
  'CONFLICT_OF_MANAGERS',
  /** The resource was changed, made or deleted since the person saw it. */
  'RESOURCE_CHANGED',
  /** The API server refuses the web interface's account; `command` grants the right. */
  'FORBIDDEN',
  /** The API server doesn't answer. */
  'CLUSTER_NOT_REACHABLE',
  /** The interface serves no more requests of this kind at once. */
  'TOO_MANY',
  /** The page of the web interface is not built; `retry_after_seconds` says when to ask again. */
  'PAGE_NOT_BUILT',
  'INTERNAL',
])
export type FailureCode = z.infer<typeof failureCodeSchema>

/** A place in a JSON file: keys and indexes from its root. */
export const fieldPathSchema = z.array(z.union([z.string().max(1_000), z.int().min(0).max(1_000_000)])).max(64)
export type FieldPath = z.infer<typeof fieldPathSchema>

/** A masked text of a file; `digest` is that of the file's real bytes. */
export const fileVersionSchema = z.object({ digest: z.string(), text: z.string() })
export type FileVersion = z.infer<typeof fileVersionSchema>

/** Three texts to merge. `base` is null if the common text is unknown. */
export const conflictSchema = z.object({
  file: z.string(),
  /** `live`: the live file changed since the draft began. `draft`: somebody else saved the draft. */
  kind: z.enum(['live', 'draft']),
  base: fileVersionSchema.nullable(),
  theirs: fileVersionSchema,
  yours: fileVersionSchema,
})
export type Conflict = z.infer<typeof conflictSchema>

export const failedFieldSchema = z.object({ path: fieldPathSchema, message: z.string() })
export type FailedField = z.infer<typeof failedFieldSchema>
