import { z } from 'zod'
import { checkSchema } from './check.ts'
import { conflictSchema, failedFieldSchema, failureCodeSchema } from './failure.ts'
import { ownedFieldSchema } from './resource.ts'

/** The body of every answer with a status from 400 on. */
export const failureSchema = z
  .object({
    error: z
      .object({
        code: failureCodeSchema.describe('The code, for programs.'),
        message: z.string().describe('A text for people: the problem and the next step.'),
        retry_after_seconds: z
          .number()
          .optional()
          .describe(
            'Seconds to wait before the next try, also in the header `Retry-After`. Only with `LOCKED`, `BUSY` and `PAGE_NOT_BUILT`.',
          ),
        fields: z
          .array(failedFieldSchema)
          .optional()
          .describe(
            'The places of the faults. With `BAD_REQUEST`, `READ_ONLY`, `MASKED_NOWHERE` and, for a manifest, `NOT_VALID`.',
          ),
        check: checkSchema.optional().describe('The verdict on the draft. With `NOT_VALID` of a deploy.'),
        conflict: conflictSchema
          .optional()
          .describe('The texts to merge. With `CONFLICT`, except for a deploy with an outdated `tag`.'),
        managers: z
          .array(ownedFieldSchema)
          .optional()
          .describe('The fields of other managers, at most 100. With `CONFLICT_OF_MANAGERS`.'),
        command: z
          .string()
          .optional()
          .describe('A kubectl command that gives the missing right. With `FORBIDDEN`, if a right is missing.'),
      })
      .describe('The failure.'),
  })
  .meta({ id: 'Failure', description: 'The body of every answer with a status from 400 on.' })
export type Failure = z.infer<typeof failureSchema>
