import { z } from 'zod'
import { integer, milliseconds, positive } from './primitives.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** `limits` of gl_config.json. */
export const limitsSchema = z.object({
  request_bytes: positive.default(32 * MIB).describe('the largest body of a caller'),
  response_bytes: positive.default(64 * MIB).describe('the largest answer that is collected or recorded, decoded'),
  buffered_bytes: positive
    .default(256 * MIB)
    .describe('all bytes of calls held at once, answers and records included; above it 503'),
  header_bytes: positive.default(64 * KIB),
  request_headers_timeout_ms: milliseconds.default(20_000),
  request_idle_timeout_ms: milliseconds.default(60_000),
  request_body_timeout_ms: milliseconds.default(600_000).describe('the whole body of a caller'),
  json_depth: positive.default(1_000).describe('a request nested deeper is refused, an answer recorded as text'),
  keep_alive_timeout_ms: milliseconds.default(75_000).describe("longer than a load balancer's"),
  outbound_connect_timeout_ms: milliseconds.default(10_000),
  outbound_headers_timeout_ms: milliseconds.default(600_000),
  outbound_timeout_ms: milliseconds.default(600_000).describe('silence between bytes; a stream has no total limit'),
  drain_delay_ms: integer(0, 2 ** 31 - 1)
    .default(0)
    .describe('after SIGTERM the listener stays open this long'),
  drain_ms: milliseconds.default(610_000).describe('after SIGTERM what still runs is cut after this long'),
  record_queue_bytes: positive.default(32 * MIB).describe('records that wait for the bus'),
})
export type Limits = z.infer<typeof limitsSchema>
