import { z } from 'zod'

const count = z.number().nullable()

/** The row of a record in a list; missing values are null. */
const transactionSchema = z.object({
  /** The id of the record's page; invalid once the record is no longer kept. */
  id: z.string(),
  /** RFC 3339, the beginning of the call. */
  time: z.string().nullable(),
  session_id: z.string().nullable(),
  transaction_id: z.string().nullable(),
  router: z.string().nullable(),
  original_router: z.string().nullable(),
  method: z.string().nullable(),
  status: count,
  error_type: z.string().nullable(),
  duration_ms: count,
  first_byte_ms: count,
  model: z.string().nullable(),
  stream: z.boolean(),
  input_tokens: count,
  output_tokens: count,
  /** Names of the called processors. */
  processors: z.array(z.string()),
  bytes: z.number(),
})
export type Transaction = z.infer<typeof transactionSchema>

const shortText = z.string().max(1_000)

/** A filter of transactions. Unset members don't filter. */
export const transactionFilterSchema = z.strictObject({
  router: shortText.optional(),
  /** The id of a session or of a transaction. */
  session: shortText.optional(),
  /** `503`, or `5xx` for a class; several are separated by commas. */
  status: z
    .string()
    .regex(/^[1-5](\d\d|xx)(,[1-5](\d\d|xx)){0,9}$/)
    .optional(),
  error_type: shortText.optional(),
  processor: shortText.optional(),
  /** A text anywhere in the record, in any case. */
  text: shortText.optional(),
})
export type TransactionFilter = z.infer<typeof transactionFilterSchema>

export const historyQuerySchema = z.strictObject({
  ...transactionFilterSchema.shape,
  /** RFC 3339, the earliest beginning of a call. */
  since: z.iso.datetime({ offset: true }).optional(),
  /** `next` of the answer before; continues with older calls. */
  before: z
    .string()
    .regex(/^\d{1,16}$/)
    .optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})
export type HistoryQuery = z.input<typeof historyQuerySchema>

/** Newest first. */
export const historySchema = z.object({
  transactions: z.array(transactionSchema),
  /** Send it as `before` for older calls; null if there are none. It may be set in an answer without transactions. */
  next: z.string().nullable(),
  /** Number of records that were searched for this answer. */
  scanned: z.number(),
  /**
   * `stream`: records that the bus keeps. `file`: the bus keeps none, so records that nats2file wrote. `recent`:
   * neither exists, so records that came since this program's start.
   */
  source: z.enum(['stream', 'file', 'recent']),
})
export type History = z.infer<typeof historySchema>

/** The events of the live view; each kind comes at most four times a second. */
export const liveEventSchema = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('transactions'),
    /** Oldest first, at most 200. */
    transactions: z.array(transactionSchema),
    /** Number of matching transactions left out since the last event, because the page could not take more. */
    skipped: z.number(),
  }),
  z.object({ event: z.literal('bus'), connected: z.boolean() }),
  /** The session has ended: log in. */
  z.object({ event: z.literal('logged_out') }),
])
export type LiveEvent = z.infer<typeof liveEventSchema>

/** A record as it is on the bus. Of one over 4 MiB or of more than 100,000 values only the beginning is sent, as text. */
export const recordSchema = z.object({
  id: z.string(),
  transaction: transactionSchema,
  record: z.unknown().nullable(),
  /** Set if `record` is null. */
  beginning: z.string().nullable(),
})
export type RecordAnswer = z.infer<typeof recordSchema>
