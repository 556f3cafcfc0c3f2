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
      .describe('Rows run in this order; the same number is the same row, whose members run side by side.'),
    async: z
      .boolean()
      .optional()
      .describe('The gateway calls the Processor after the answer is sent; its fields only reach the record.'),
    modifier: z.boolean().optional().describe('true: replaces fields that exist; false: adds fields that do not.'),
    required: z
      .boolean()
      .optional()
      .describe('Without an answer of this Processor the call is not made: the caller gets 503.'),
    inputFields: setList(fieldName, MAX_FIELDS)
      .optional()
      .describe('First-level fields of the record that the Processor gets; empty: all.'),
    outputFields: setList(fieldName, MAX_FIELDS)
      .optional()
      .describe('The only fields taken from its reply; empty: none.'),
    timeoutMs: z
      .int()
      .min(1)
      .max(MAX_TIMEOUT_MS)
      .optional()
      .describe('Milliseconds that the Processor has for its answer.'),
    rerouteTo: pathList(256)
      .optional()
      .describe('Paths of Routers to which the Processor may re-route calls by gl_path; empty: none.'),
  })
  .meta(cel(NOT_BOTH))
export type CallPoint = z.infer<typeof callPointSchema>
