import { z } from 'zod'
import { checkSchema } from './check.ts'
import { conflictSchema, failedFieldSchema, failureCodeSchema } from './failure.ts'
import { ownedFieldSchema } from './resources.ts'

/** The body of every answer with a status from 400 on. */
export const failureSchema = z.object({
  error: z.object({
    code: failureCodeSchema,
    /** A text for people: the problem and the next step. */
    message: z.string(),
    retry_after_seconds: z.number().optional(),
    fields: z.array(failedFieldSchema).optional(),
    check: checkSchema.optional(),
    conflict: conflictSchema.optional(),
    managers: z.array(ownedFieldSchema).optional(),
    /** A kubectl command that helps. */
    command: z.string().optional(),
  }),
})
export type Failure = z.infer<typeof failureSchema>
