import { z } from 'zod'
import { fieldPathSchema } from './failure.ts'

/**
 * The verdict on a field in the gateway's environment. Fields that are not listed are valid.
 *
 * - `required`: the field needs a value and is empty, or a variable that it refers to isn't set
 * - `missing`: the field refers to a variable that isn't set, and works without it
 * - `invalid`: the value is not allowed
 */
const fieldStateSchema = z.enum(['required', 'missing', 'invalid'])
export type FieldState = z.infer<typeof fieldStateSchema>

export const checkedFieldSchema = z.object({
  /** The place in the file; empty for the file as a whole. */
  path: fieldPathSchema,
  state: fieldStateSchema,
  /** The code in the gateway's log: `required:`, `http_url:`, `max:65535` … */
  reason: z.string(),
  /** A text for people. */
  message: z.string(),
  /** Names of unset variables that the field refers to. */
  unset: z.array(z.string()),
})
export type CheckedField = z.infer<typeof checkedFieldSchema>

/** A variable that the file refers to. Its value is never sent. */
const variableSchema = z.object({
  name: z.string(),
  /** `generated`: unset, so the supervisor made a random value that nobody can read. */
  state: z.enum(['set', 'generated', 'unset']),
  used_at: z.array(fieldPathSchema),
})
export type Variable = z.infer<typeof variableSchema>

/** The verdict of the gateway's own check on one file. */
export const checkSchema = z.object({
  digest: z.string(),
  /**
   * `valid`: everything runs. `partly`: the file runs without the rejected routers. `invalid`: no program would start
   * with the file. `unchecked`: only the file's program can judge, which happens at the deploy.
   */
  result: z.enum(['valid', 'partly', 'invalid', 'unchecked']),
  /** The first 1,000. */
  fields: z.array(checkedFieldSchema),
  variables: z.array(variableSchema),
  /** Unknown keys, which stay in the file. */
  unknown_keys: z.array(z.string()),
})
export type Check = z.infer<typeof checkSchema>
