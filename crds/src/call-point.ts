import { z } from 'zod'
import { cel, fieldName, setList } from './primitives.ts'
import { pathList } from './router-path.ts'

const MAX_ORDER = 10_000
const MAX_TIMEOUT_MS = 600_000
const MAX_FIELDS = 64

const NOT_BOTH = {
  rule: '!(has(self.async) && self.async && has(self.required) && self.required)',
  message: 'async comes after the answer: nobody can require it then',
  fieldPath: '.required',
  reason: 'FieldValueForbidden' as const,
}

/**
 * The moment of a processor's call, and the fields that it sees and writes. A field that is left out has the default of
 * the Processor's type (docs/reference/kubernetes.md#processor).
 */
export const callPointSchema = z
  .object({
    order: z
      .int()
      .min(0)
      .max(MAX_ORDER)
      .optional()
      .describe('Place of the call among the rows; Processors with the same number are one row and run side by side.'),
    async: z
      .boolean()
      .optional()
      .describe(
        'true: the gateway calls the Processor after the answer was sent; the Processor’s fields only reach the record.',
      ),
    modifier: z
      .boolean()
      .optional()
      .describe('true: the Processor replaces existing fields; false: it adds missing fields.'),
    required: z
      .boolean()
      .optional()
      .describe(
        'true in request: without a reply of this Processor the gateway does not call the LLM API, and the caller gets 503. true in response: without a reply the record gets an error entry.',
      ),
    inputFields: setList(fieldName, MAX_FIELDS)
      .optional()
      .describe('First-level fields of the record that the Processor gets; empty: all.'),
    outputFields: setList(fieldName, MAX_FIELDS)
      .optional()
      .describe('Fields that the gateway takes from the reply of the Processor; empty: none.'),
    timeoutMs: z
      .int()
      .min(1)
      .max(MAX_TIMEOUT_MS)
      .optional()
      .describe('Milliseconds for which the gateway waits for the Processor’s reply.'),
    rerouteTo: pathList(256)
      .optional()
      .describe('Paths of Routers to which the Processor may re-route calls by gl_path; empty: none.'),
  })
  .meta(cel(NOT_BOTH))
export type CallPoint = z.infer<typeof callPointSchema>
