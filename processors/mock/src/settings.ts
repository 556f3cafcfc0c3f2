import { booleanSetting, numberSetting } from '@llm-gateway/sdk'
import { z } from 'zod'

const KIBIBYTE = 1024
const MEBIBYTE = 1024 * KIBIBYTE
const MAX_RECORDINGS = 10_000
const MAX_RECORDING_BYTES = 32 * MEBIBYTE
const MAX_TOTAL_BYTES = 1024 * MEBIBYTE
const MAX_DELAY_MS = 600_000

const PREFIX = /^(\/[A-Za-z0-9_.~-]+)+$/
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/

export const mockSettings = z.object({
  /** A replay waits 100/lambda ms on average; 0: no wait. */
  lambda: numberSetting({ min: 0 }).default(0),
  /** The longest wait of a replay. Must be below the row's timeout, or the answer comes too late. */
  max_delay_ms: numberSetting({ min: 0, max: MAX_DELAY_MS }).pipe(z.int()).default(50_000),
  /** The prefix of replay routers. */
  routers_prefix: z.string().regex(PREFIX, 'router:').default('/mock'),
  /** `session_id_header` of gl_config.json; this header isn't replayed. */
  session_header: z.string().regex(HEADER_NAME, 'header:').default('Session-Id'),
  /** True: the bus's key-value store keeps the recordings over restarts, for all replicas. */
  shared: booleanSetting().default(false),
  /** The maximum number of recordings; a further recording displaces the least recently recorded. */
  recordings: numberSetting({ min: 1, max: MAX_RECORDINGS }).pipe(z.int()).default(1_000),
  /** The largest recording in bytes; a larger recording is not kept. */
  recording_bytes: numberSetting({ min: 1, max: MAX_RECORDING_BYTES }).pipe(z.int()).default(MEBIBYTE),
  /** The bytes of all recordings; more displace the least recently recorded. */
  total_bytes: numberSetting({ min: 1, max: MAX_TOTAL_BYTES })
    .pipe(z.int())
    .default(64 * MEBIBYTE),
})

export type MockSettings = z.infer<typeof mockSettings>
