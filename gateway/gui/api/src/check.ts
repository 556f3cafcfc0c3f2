import { z } from 'zod'
import { fieldPathSchema } from './failure.ts'

/**
 * How a field is seen with the gateway's environment. A field that isn't listed is valid.
 *
 * - `required`: it must have a value and has none: nothing is written, or a variable it refers to isn't set
 * - `missing`: it refers to a variable that isn't set, and does without
 * - `invalid`: what is written can't be
 */
const fieldStateSchema = z.enum(['required', 'missing', 'invalid'])
export type FieldState = z.infer<typeof fieldStateSchema>

export const checkedFieldSchema = z.object({
  /** In the file; empty: the file as a whole. */
  path: fieldPathSchema,
  state: fieldStateSchema,
  /** As in the gateway's log: `required:` `http_url:` `max:65535` … */
  reason: z.string(),
  /** For people. */
  message: z.string(),
  /** Names that the field refers to and that aren't set. */
  unset: z.array(z.string()),
})
export type CheckedField = z.infer<typeof checkedFieldSchema>

/** A variable that the file refers to. Its value is never told. */
const variableSchema = z.object({
  name: z.string(),
  /** `generated`: it was unset, and the supervisor made a random value that nobody can read. */
  state: z.enum(['set', 'generated', 'unset']),
  used_at: z.array(fieldPathSchema),
})
export type Variable = z.infer<typeof variableSchema>

/** The verdict of the gateway's own check code on one file. */
export const checkSchema = z.object({
  digest: z.string(),
  /**
   * `valid`: all of it runs. `partly`: it runs without the routers that are rejected. `invalid`: no program would run with it.
   * `unchecked`: a file that only its program can judge; that happens at the deploy.
   */
  result: z.enum(['valid', 'partly', 'invalid', 'unchecked']),
  /** The first 1,000. */
  fields: z.array(checkedFieldSchema),
  variables: z.array(variableSchema),
  /** Keys that nobody reads; they are kept. */
  unknown_keys: z.array(z.string()),
})
export type Check = z.infer<typeof checkSchema>
