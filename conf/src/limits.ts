import { z } from 'zod'
import { integer, milliseconds, positive } from './primitives.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** `limits` of gl_config.json. */
export const limitsSchema = z.object({
  request_bytes: positive.default(32 * MIB).describe('Largest body of a request. Above it the answer is 413.'),
  response_bytes: positive
    .default(64 * MIB)
    .describe(
      'Largest answer that is recorded or collected for processors, decoded. A longer answer passes; its record is cut.',
    ),
  buffered_bytes: positive
    .default(256 * MIB)
    .describe(
      'All bytes that calls hold at once, answers and records included. Above this sum new calls get 503 OVERLOADED.',
    ),
  header_bytes: positive.default(64 * KIB).describe('Largest head of a request. Above it the answer is 431.'),
  request_headers_timeout_ms: milliseconds.default(20_000).describe('Time for the head of a request.'),
  request_idle_timeout_ms: milliseconds
    .default(60_000)
    .describe(
      'Longest silence of a caller within its body, and longest time in which a caller takes nothing of its answer.',
    ),
  request_body_timeout_ms: milliseconds.default(600_000).describe('Time for the whole body of a request.'),
  json_depth: positive
    .default(1_000)
    .describe('Levels of JSON. A request that is nested deeper is refused with 400; an answer is recorded as text.'),
  keep_alive_timeout_ms: milliseconds
    .default(75_000)
    .describe('How long a caller’s idle connection stays open. Longer than the 60 s of most load balancers.'),
  outbound_connect_timeout_ms: milliseconds.default(10_000).describe('Time to connect to the LLM API.'),
  outbound_headers_timeout_ms: milliseconds
    .default(600_000)
    .describe('Time until the LLM API sends the head of its answer.'),
  outbound_timeout_ms: milliseconds
    .default(600_000)
    .describe('Longest silence of the LLM API between two bytes. A stream has no limit in total.'),
  drain_delay_ms: integer(0, 2 ** 31 - 1)
    .default(0)
    .describe('Time for which the port stays open after SIGTERM.'),
  drain_ms: milliseconds.default(610_000).describe('Time after SIGTERM at which calls that still run are cut.'),
  record_queue_bytes: positive
    .default(32 * MIB)
    .describe('Bytes of records that wait in memory for the bus or the spool.'),
})
export type Limits = z.infer<typeof limitsSchema>
