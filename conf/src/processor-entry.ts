import { z } from 'zod'
import { boolean, milliseconds } from './primitives.ts'

const fieldNames = z.array(z.string()).max(10_000).default([])
/** The list is limited, because the gateway compiles it in one task of its main thread. */
const paths = z.array(z.string()).max(100_000).optional()

/** A processor of a row (docs/reference/configuration-rules.md#rows-and-entries). */
export const processorEntrySchema = z.object({
  name: z
    .string()
    .regex(/^[A-Za-z0-9_]+$/, 'name:')
    .describe('Name of the processor in the record, in metrics and in error texts: letters, digits and `_`.'),
  service_bus_topic: z
    .string()
    .regex(/^[^\s*>.]+(\.[^\s*>.]+)*$/, 'subject:')
    .describe('Subject on the bus that the processor subscribes to.'),
  timeout: milliseconds.describe('Milliseconds that the gateway waits for the processor’s answer.'),
  modifier: boolean
    .default(false)
    .describe('`false`: the processor only adds fields. `true`: it only replaces fields that exist.'),
  required: boolean
    .default(false)
    .describe(
      'Request phase: without an answer the call is not made and the caller gets 503. Response phase: the record gets an error entry.',
    ),
  async: boolean
    .default(false)
    .describe('The gateway calls the processor after the caller has its answer. Its fields only reach the record.'),
  input_fields_include: fieldNames.describe('First-level fields that the processor is sent. Empty: all.'),
  input_fields_exclude: fieldNames.describe('First-level fields that the processor is not sent.'),
  output_fields_write: fieldNames.describe('The only fields that the gateway takes from the reply. Empty: none.'),
  routers: paths.describe('Router paths that the entry applies to. Absent: every router.'),
  reroute_to: paths.describe('Router paths to which the processor may re-route calls by `gl_path`. Absent: any.'),
})
export type ProcessorEntry = z.infer<typeof processorEntrySchema>

/** Returns the schema of `request` or `response` in gl_config.json, with the default rows and their description. */
export function phaseSchema(defaultRows: z.input<typeof rowsSchema>, description: string) {
  return z.object({ processors: rowsSchema.prefault(defaultRows).describe(description) }).prefault({})
}

const rowsSchema = z.array(z.array(processorEntrySchema))
