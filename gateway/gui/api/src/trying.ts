import { z } from 'zod'

/** Characters of the body of a trial call. */
export const MOST_TRIED = 4 * 1024 * 1024

/** A request to a router, sent by the server so that the page needs no key of the router. */
export const tryRequestSchema = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST').describe('The method of the call.'),
  router: z
    .string()
    .max(1_000)
    .regex(/^\/[\w\-.~/]*$/)
    .describe('The path of the router: `/` and then letters, digits and `_-.~/`.'),
  rest: z
    .string()
    .max(4_000)
    .regex(/^[!-~]*$/)
    .default('')
    .describe(
      'The rest of the path and a query, such as `llmapi/v1/chat/completions?api-version=1`, in visible ASCII.',
    ),
  headers: z
    .record(z.string().max(200), z.string().max(8_000))
    .default({})
    .describe(
      'More headers. They replace those of `caller_headers`. The headers of the connection, such as `Host` and `Content-Length`, are left out.',
    ),
  caller_headers: z
    .boolean()
    .default(true)
    .describe('True adds the headers that the router asks of callers, with the values that the web interface knows.'),
  session_id: z.string().max(200).default('').describe('The session id to send; empty for a new session.'),
  body: z
    .string()
    .max(MOST_TRIED)
    .default('')
    .describe(
      'The body as text. One that is not empty is sent as `application/json`, unless `headers` names another type.',
    ),
})
export type TryRequest = z.input<typeof tryRequestSchema>

const atMs = z.number().describe('Milliseconds from the beginning of the call to this event.')

/** The events of a tried call. */
export const tryEventSchema = z.discriminatedUnion('event', [
  z
    .object({
      event: z.literal('head').describe('The name of the event.'),
      status: z.number().describe('The status of the answer.'),
      headers: z
        .record(z.string(), z.string())
        .describe('The headers of the answer, names in lower case, several values joined by a comma, without secrets.'),
      transaction_id: z
        .string()
        .nullable()
        .describe(
          'The id of the transaction, from the session header of the answer; null if the answer has none. `GET /api/v1/transactions?session=` finds the record by it.',
        ),
      at_ms: atMs,
    })
    .describe('The status and headers of the answer: the first event.'),
  z
    .object({
      event: z.literal('text').describe('The name of the event.'),
      text: z.string().describe('A piece of the body as text, at most 65,536 characters, without secrets.'),
      at_ms: atMs,
    })
    .describe('A piece of the answer’s body, as it arrives.'),
  z
    .object({
      event: z.literal('end').describe('The name of the event.'),
      bytes: z.number().describe('The bytes of the body that came.'),
      cut: z.boolean().describe('True if the body was longer than 8 MiB: its rest was not read.'),
      at_ms: atMs,
    })
    .describe('The end of the answer: the last event.'),
  z
    .object({
      event: z.literal('failed').describe('The name of the event.'),
      code: z.string().describe('The code of the failed connection, such as `ECONNREFUSED`.'),
      message: z.string().describe('A text for people.'),
      at_ms: atMs,
    })
    .describe('The call failed, before or within the answer: the last event.'),
])
export type TryEvent = z.infer<typeof tryEventSchema>
