import { z } from 'zod'
import { milliseconds, positive } from './primitives.ts'

const GIB = 1024 * 1024 * 1024

/** `record` of gl_config.json: how records are kept (docs/reference/kept-records.md#durability). */
export const recordSchema = z.object({
  stream: z.enum(['on', 'off']).default('on').describe('off: the bus keeps no records, prompts included'),
  durability: z
    .enum(['outage', 'journal'])
    .default('outage')
    .describe('journal: each record is on its way to disk before its caller has the whole answer'),
  wait_ms: milliseconds.default(2_000).describe('a call, or its record, waits this long for room for records'),
  when_full: z
    .enum(['drop', 'refuse'])
    .default('drop')
    .describe('refuse: a call that finds no room for its record is answered 503 RECORDS_FULL'),
})

/**
 * `spool` of gl_config.json: where records wait while the bus does not take them
 * (docs/reference/kept-records.md#queue-and-spool).
 */
export const spoolSchema = z.object({
  directory: z.string().default('./app/spool').describe('one per gateway; empty: no spool'),
  max_bytes: positive.default(GIB),
})
