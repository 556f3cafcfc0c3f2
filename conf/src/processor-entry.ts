import { z } from 'zod'
import { boolean, milliseconds } from './primitives.ts'
import { subject } from './service-bus.ts'

const fieldNames = z.array(z.string()).max(10_000).default([])
/** The list is limited, because the gateway compiles it in one task of its main thread. */
const paths = z.array(z.string()).max(100_000).optional()

/** A processor of a row (docs/reference/configuration-rules.md#rows-and-entries). */
export const processorEntrySchema = z.object({
  name: z
    .string()
    .regex(/^[A-Za-z0-9_]+$/, 'name:')
    .describe('Name of the processor in records, metrics and error texts: letters, digits and `_`.'),
  service_bus_topic: subject.describe('Subject on the bus that the processor subscribes to.'),
  timeout: milliseconds.describe('Milliseconds for which the gateway waits for the processor’s reply.'),
  modifier: boolean
    .default(false)
    .describe('`false`: the processor only adds fields. `true`: it only replaces fields that exist.'),
  required: boolean
    .default(false)
    .describe(
      '`true` in the request phase: without a reply of the processor the gateway does not call the LLM API, and the caller gets 503. `true` in the response phase: without a reply the record gets an error entry. Has no effect beside `async`.',
    ),
  async: boolean
    .default(false)
    .describe(
      '`true`: the gateway calls the processor after the caller has the answer. The processor’s fields only reach the record.',
    ),
  input_fields_include: fieldNames.describe('First-level fields that the gateway sends to the processor. Empty: all.'),
  input_fields_exclude: fieldNames.describe('First-level fields that the gateway does not send to the processor.'),
  output_fields_write: fieldNames.describe('Fields that the gateway takes from the reply. Empty: none.'),
  routers: paths.describe('Paths of the routers to which the entry applies. Absent: every router.'),
  reroute_to: paths.describe(
    'Paths of the routers to which the processor may re-route calls by `gl_path`. Absent: every router.',
  ),
})
export type ProcessorEntry = z.infer<typeof processorEntrySchema>

/** Returns the schema of `request` or `response` in gl_config.json, with the default rows and their description. */
export function phaseSchema(defaultRows: z.input<typeof rowsSchema>, description: string) {
  return z.object({ processors: rowsSchema.prefault(defaultRows).describe(description) }).prefault({})
}

const rowsSchema = z.array(z.array(processorEntrySchema))
