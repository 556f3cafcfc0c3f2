import { z } from 'zod'

const count = z.number().nullable()

/** What a list shows of a record; what the record doesn't tell is null. */
const transactionSchema = z.object({
  /** For the record's own page; gone when the bus no longer keeps it. */
  id: z.string(),
  /** RFC 3339, when the call came in. */
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
  /** Names of the processors that were called. */
  processors: z.array(z.string()),
  bytes: z.number(),
})
export type Transaction = z.infer<typeof transactionSchema>

const shortText = z.string().max(1_000)

/** Which transactions; what isn't given isn't asked for. */
export const transactionFilterSchema = z.strictObject({
  router: shortText.optional(),
  /** A session's or a transaction's id. */
  session: shortText.optional(),
  /** `503`, or `5xx` for a class; several with commas between. */
  status: z
    .string()
    .regex(/^[1-5](\d\d|xx)(,[1-5](\d\d|xx)){0,9}$/)
    .optional(),
  error_type: shortText.optional(),
  processor: shortText.optional(),
  /** Bytes that stand somewhere in the record, whatever their case. */
  text: shortText.optional(),
})
export type TransactionFilter = z.infer<typeof transactionFilterSchema>

export const historyQuerySchema = z.strictObject({
  ...transactionFilterSchema.shape,
  /** RFC 3339: calls that came in then or later. */
  since: z.iso.datetime({ offset: true }).optional(),
  /** `next` of the answer before: goes on with older ones. */
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
  /** Ask again with it as `before`; null: there are no older ones. May stand beside no transaction at all. */
  next: z.string().nullable(),
  /** How many records were looked at for this answer. */
  scanned: z.number(),
  /**
   * `stream`: what the bus keeps. `file`: the bus keeps nothing; what nats2file has written. `recent`: neither; what came while
   * this program looked on.
   */
  source: z.enum(['stream', 'file', 'recent']),
})
export type History = z.infer<typeof historySchema>

/** Events of the live view; each comes at most four times a second. */
export const liveEventSchema = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('transactions'),
    /** Oldest first, at most 200. */
    transactions: z.array(transactionSchema),
    /** How many fitting ones were left out since the event before: there were more than a page can take. */
    skipped: z.number(),
  }),
  z.object({ event: z.literal('bus'), connected: z.boolean() }),
  /** The session has ended: log in. */
  z.object({ event: z.literal('logged_out') }),
])
export type LiveEvent = z.infer<typeof liveEventSchema>

/** A record as it is on the bus, and where it is too large for a page (over 4 MiB) only its beginning as text. */
export const recordSchema = z.object({
  id: z.string(),
  transaction: transactionSchema,
  record: z.unknown().nullable(),
  /** Given where `record` is null. */
  beginning: z.string().nullable(),
})
export type RecordAnswer = z.infer<typeof recordSchema>
