import { z } from 'zod'

const count = z.number().nullable()
const text = z.string().nullable()

/** The row of a record in a list; missing values are null. */
const transactionSchema = z
  .object({
    id: z
      .string()
      .describe(
        'The id for `GET /api/v1/transactions/{id}`. It is valid as long as the record is kept; the record itself does not contain it.',
      ),
    time: text.describe('RFC 3339: the beginning of the call.'),
    session_id: text.describe('The id of the session; at most 1,024 characters.'),
    transaction_id: text.describe('The id of the call.'),
    router: text.describe('The path of the router that answered.'),
    original_router: text.describe('The path of the router that was called; null if the call was not re-routed.'),
    method: text.describe('The method of the call.'),
    status: count.describe('The status that the caller got.'),
    error_type: text.describe('The error type; null without an error.'),
    duration_ms: count.describe('Milliseconds from the head of the request to the end of the answer.'),
    first_byte_ms: count.describe('Milliseconds from the call to the LLM API to the first byte of a streamed answer.'),
    model: text.describe('The model that the answer names, else that of the request; at most 200 characters.'),
    stream: z.boolean().describe('True if the answer was a stream.'),
    input_tokens: count.describe('Tokens of the request: the token counter’s count, else the answer’s.'),
    output_tokens: count.describe('Tokens of the answer: the token counter’s count, else the answer’s.'),
    processors: z.array(z.string()).describe('The names of the processors that were called, each once, at most 50.'),
    bytes: z.number().describe('The bytes of the record.'),
  })
  .meta({ id: 'Transaction', description: 'A call in a list. A value that its record does not have is null.' })
export type Transaction = z.infer<typeof transactionSchema>

const shortText = z.string().max(1_000).optional()

/** A filter of transactions. Unset members don't filter. */
export const transactionFilterSchema = z.strictObject({
  router: shortText.describe('Only calls that named the router with this path, or that it answered after a re-route.'),
  session: shortText.describe('Only calls with this id of a session or of a transaction.'),
  status: z
    .string()
    .regex(/^[1-5](\d\d|xx)(,[1-5](\d\d|xx)){0,9}$/)
    .optional()
    .describe('Only calls with this status: `503`, or `5xx` for a class. At most 10, separated by commas.'),
  error_type: shortText.describe('Only calls with this error type.'),
  processor: shortText.describe('Only calls of the processor with this name.'),
  text: shortText.describe(
    'Only calls whose record contains this text, in upper or lower case. In records over 1 MiB the case counts.',
  ),
})
export type TransactionFilter = z.infer<typeof transactionFilterSchema>

export const historyQuerySchema = z.strictObject({
  ...transactionFilterSchema.shape,
  since: z.iso.datetime({ offset: true }).optional().describe('RFC 3339: only calls that began at this time or later.'),
  before: z
    .string()
    .regex(/^\d{1,16}$/)
    .optional()
    .describe('`next` of the answer before: goes on with older calls.'),
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('The largest number of calls in the answer.'),
})
export type HistoryQuery = z.input<typeof historyQuerySchema>

export const historySchema = z.object({
  transactions: z.array(transactionSchema).describe('The calls that were found, newest first.'),
  next: z
    .string()
    .nullable()
    .describe(
      'Send it as `before` for older calls; null if there are none. A search ends after two seconds, so an answer without calls may still have a `next`.',
    ),
  scanned: z.number().describe('The number of records that were searched for this answer.'),
  source: z
    .enum(['stream', 'file', 'recent'])
    .describe(
      '`stream`: the records that the bus keeps. `file`: the bus keeps none, so those that the sink nats2file wrote. `recent`: neither exists, so at most 500 that came since the start of the web interface.',
    ),
})
export type History = z.infer<typeof historySchema>

/** The events of the live view; each kind comes at most four times a second. */
export const liveEventSchema = z.discriminatedUnion('event', [
  z
    .object({
      event: z.literal('transactions').describe('The name of the event.'),
      transactions: z
        .array(transactionSchema)
        .describe('The calls that ended since the last event, oldest first, at most 200.'),
      skipped: z
        .number()
        .describe(
          'The number of matching calls that were left out since the last event, because the reader could not take more.',
        ),
    })
    .describe('Calls that match the filter, at most four times a second.'),
  z
    .object({
      event: z.literal('bus').describe('The name of the event.'),
      connected: z.boolean().describe('True if the web interface has a connection to the bus.'),
    })
    .describe('The connection to the bus: at the beginning, and when it changes.'),
  z
    .object({ event: z.literal('logged_out').describe('The name of the event.') })
    .describe('The session has ended: the last event.'),
])
export type LiveEvent = z.infer<typeof liveEventSchema>

export const recordSchema = z.object({
  id: z.string().describe('The id of the request.'),
  transaction: transactionSchema.describe('The call as in a list.'),
  record: z
    .unknown()
    .nullable()
    .describe(
      'The record as it is on the bus; null if it is over 4 MiB, has more than 100,000 values or can’t be read as JSON.',
    ),
  beginning: z.string().nullable().describe('The first 64 KiB of the record as text if `record` is null, else null.'),
})
export type RecordAnswer = z.infer<typeof recordSchema>
