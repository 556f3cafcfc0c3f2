import { z } from 'zod'
import { integer, milliseconds, positive } from './primitives.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** `limits` of gl_config.json. */
export const limitsSchema = z.object({
  request_bytes: positive.default(32 * MIB).describe('Largest body of a request. A larger one is refused with 413.'),
  response_bytes: positive
    .default(64 * MIB)
    .describe(
      'Largest answer, after decompression. A larger answer reaches the caller, and its record is cut. A larger answer that is collected for processors fails with UPSTREAM_TOO_LARGE.',
    ),
  buffered_bytes: positive
    .default(256 * MIB)
    .describe(
      'Most bytes that all calls together hold in memory, answers and records included. Above this sum new calls get 503 OVERLOADED.',
    ),
  header_bytes: positive
    .default(64 * KIB)
    .describe('Largest head of a request (request line and headers). A larger one is refused with 431.'),
  request_headers_timeout_ms: milliseconds
    .default(20_000)
    .describe('Longest time in which the head of a request arrives.'),
  request_idle_timeout_ms: milliseconds
    .default(60_000)
    .describe(
      'Longest pause of a caller while it sends its body, and longest time for which a caller may read nothing of its answer.',
    ),
  request_body_timeout_ms: milliseconds
    .default(600_000)
    .describe('Longest time in which the whole body of a request arrives.'),
  json_depth: positive
    .default(1_000)
    .describe(
      'Most levels of nesting in JSON. A deeper request is refused with 400; a deeper answer is recorded as text.',
    ),
  keep_alive_timeout_ms: milliseconds
    .default(75_000)
    .describe(
      'Time for which an idle connection of a caller stays open. The default is longer than the 60 s of most load balancers.',
    ),
  outbound_connect_timeout_ms: milliseconds.default(10_000).describe('Longest time to connect to the LLM API.'),
  outbound_headers_timeout_ms: milliseconds
    .default(600_000)
    .describe('Longest time until the LLM API sends the head of its answer.'),
  outbound_timeout_ms: milliseconds
    .default(600_000)
    .describe('Longest pause of the LLM API between two bytes of its answer. The whole answer has no time limit.'),
  drain_delay_ms: integer(0, 2 ** 31 - 1)
    .default(0)
    .describe('Time after SIGTERM for which the gateway still accepts connections.'),
  drain_ms: milliseconds
    .default(610_000)
    .describe('Time after `drain_delay_ms` in which running calls may end. Then they are cut.'),
  record_queue_bytes: positive
    .default(32 * MIB)
    .describe('Most bytes of records that wait in memory for the bus or the spool.'),
})
export type Limits = z.infer<typeof limitsSchema>
