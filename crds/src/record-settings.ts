import { z } from 'zod'
import { fieldName, headerName, quantity, setList } from './primitives.ts'
import { recordSinksSchema } from './record-sinks.ts'

const fieldFilterSchema = z.object({
  fieldsInclude: setList(fieldName, 64).optional().describe('First-level fields that are kept; left out: all.'),
  fieldsExclude: setList(fieldName, 64).optional().describe('First-level fields that are left out.'),
})

/** The content of records, and the sinks that store them. */
export const recordSettingsSchema = z.object({
  maskedHeaders: setList(headerName, 64).optional().describe('Headers masked besides the default ones.'),
  request: fieldFilterSchema.optional().describe('Fields of the request side.'),
  response: fieldFilterSchema.optional().describe('Fields of the response side.'),
  // A boolean, since kubectl reads a plain `off` as false.
  stream: z.boolean().default(true).describe('false: the bus keeps no records, and so no prompts.'),
  durability: z
    .enum(['Outage', 'Journal'])
    .default('Outage')
    .describe('Journal: each record is on its way to disk before its caller has the whole answer.'),
  whenFull: z
    .enum(['Drop', 'Refuse'])
    .default('Drop')
    .describe('Refuse: a call that finds no room for its record is answered 503.'),
  waitMilliseconds: z
    .int()
    .min(1)
    .max(60_000)
    .default(2000)
    .describe('Milliseconds for which a call, or its record, waits for room for records.'),
  spool: z
    .object({ size: quantity.default('1Gi').describe('Room on the disk of each pod; deleted with the pod.') })
    .prefault({})
    .describe('Disk for records while the bus does not take them.'),
  sinks: recordSinksSchema
    .optional()
    .describe('Targets to which records are written; left out: records stay on the bus.'),
})
