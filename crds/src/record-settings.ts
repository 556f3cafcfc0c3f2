import { z } from 'zod'
import { fieldName, headerName, quantity, setList } from './primitives.ts'
import { recordSinksSchema } from './record-sinks.ts'

const fieldFilterSchema = z.object({
  fieldsInclude: setList(fieldName, 64).optional().describe('First-level fields that are kept; left out: all.'),
  fieldsExclude: setList(fieldName, 64).optional().describe('First-level fields that are left out.'),
})

/** The content of records, and the sinks that store them. */
export const recordSettingsSchema = z.object({
  maskedHeaders: setList(headerName, 64)
    .optional()
    .describe('Headers that are masked in addition to the default headers.'),
  request: fieldFilterSchema.optional().describe('Fields of the request side.'),
  response: fieldFilterSchema.optional().describe('Fields of the response side.'),
  // A boolean, since kubectl reads a plain `off` as false.
  stream: z.boolean().default(true).describe('false: the bus keeps no records and therefore no prompts.'),
  durability: z
    .enum(['Outage', 'Journal'])
    .default('Outage')
    .describe(
      'Outage: records wait in memory and on disk while the bus is away; Journal: each record is also written to disk before its caller has the whole answer.',
    ),
  whenFull: z
    .enum(['Drop', 'Refuse'])
    .default('Drop')
    .describe(
      'Drop: a record that finds no room is dropped and counted; Refuse: a call without room for its record gets 503.',
    ),
  waitMilliseconds: z
    .int()
    .min(1)
    .max(60_000)
    .default(2000)
    .describe('Longest time in milliseconds for which a call, or its record, waits for room.'),
  spool: z
    .object({
      size: quantity
        .default('1Gi')
        .describe('Size of the folder on the disk of each pod; the folder is deleted with the pod.'),
    })
    .prefault({})
    .describe('Disk for records while the bus does not take them.'),
  sinks: recordSinksSchema
    .optional()
    .describe('Targets to which records are written; left out: records stay on the bus.'),
})
