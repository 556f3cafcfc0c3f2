import { z } from 'zod'

/** A request to a router, sent by the server so that the page needs no key of the router. */
export const tryRequestSchema = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
  /** The path of a router. */
  router: z
    .string()
    .max(1_000)
    .regex(/^\/[\w\-.~/]*$/),
  /** The rest of the path and a query, as `llmapi/v1/chat/completions?api-version=1`. */
  rest: z
    .string()
    .max(4_000)
    .regex(/^[!-~]*$/)
    .default(''),
  headers: z.record(z.string().max(200), z.string().max(8_000)).default({}),
  /** Adds the headers that the router asks of callers, with the values that the gateway knows. */
  caller_headers: z.boolean().default(true),
  session_id: z.string().max(200).default(''),
  body: z
    .string()
    .max(4 * 1024 * 1024)
    .default(''),
})
export type TryRequest = z.input<typeof tryRequestSchema>

/** The events of a tried call: head, text…, end; `failed` may come at any point. */
export const tryEventSchema = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('head'),
    status: z.number(),
    headers: z.record(z.string(), z.string()),
    /** The id to find the record by; null if the answer has none. */
    transaction_id: z.string().nullable(),
    /** Milliseconds since the request was sent, here and below. */
    at_ms: z.number(),
  }),
  z.object({ event: z.literal('text'), text: z.string(), at_ms: z.number() }),
  /** `cut`: the answer was longer than 8 MiB, and its rest isn't shown. */
  z.object({ event: z.literal('end'), bytes: z.number(), cut: z.boolean(), at_ms: z.number() }),
  z.object({ event: z.literal('failed'), code: z.string(), message: z.string(), at_ms: z.number() }),
])
export type TryEvent = z.infer<typeof tryEventSchema>
