import { z } from 'zod'
import { boolean, milliseconds } from './primitives.ts'
import { MAX_PATH_CHARACTERS } from './router-path.ts'
import { subject } from './service-bus.ts'

/** The most rows of a phase, and the most entries of all its rows: a call may concern all of them. */
const MAX_ROWS = 5_000
/** The most entries of a row, which are called at one moment. */
export const MAX_MEMBERS = 64
/** The most characters of a name, which stands in records and metrics. */
const MAX_NAME_CHARACTERS = 128
/** The most characters of an entry's texts without its paths: each call of the processor works on the fields' names. */
const MAX_ENTRY_CHARACTERS = 64 * 1024
/** The most characters of both phases as JSON. The operator writes no larger file. */
const MAX_PROCESSORS_CHARACTERS = 16 * 1024 * 1024

const fieldNames = z.array(z.string()).max(10_000).default([])
const paths = z.array(z.string().max(MAX_PATH_CHARACTERS)).max(100_000).optional()

/** A processor of a row (docs/reference/configuration-rules.md#rows-and-entries). */
export const processorEntrySchema = z.object({
  name: z
    .string()
    .max(MAX_NAME_CHARACTERS)
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

const rowsSchema = z
  .array(
    z
      .array(processorEntrySchema.refine((entry) => ownCharacters(entry) <= MAX_ENTRY_CHARACTERS, 'size:'))
      .max(MAX_MEMBERS),
  )
  .max(MAX_ROWS)
  .refine((rows) => rows.reduce((sum, row) => sum + row.length, 0) <= MAX_ROWS, 'size:')

type Rows = z.infer<typeof rowsSchema>

/** Returns the characters of an entry's texts without its paths. */
function ownCharacters({
  name,
  service_bus_topic,
  input_fields_include,
  input_fields_exclude,
  output_fields_write,
}: ProcessorEntry): number {
  const fields = [...input_fields_include, ...input_fields_exclude, ...output_fields_write]
  return fields.reduce((sum, field) => sum + field.length, name.length + service_bus_topic.length)
}

/** Returns true where the entries of all rows are larger than the gateway takes. */
export function areTooLarge(rows: Rows): boolean {
  let left = MAX_PROCESSORS_CHARACTERS
  for (const entry of rows.flat()) {
    left -= ownCharacters(entry)
    // Each path has quotes and a comma in JSON.
    for (const list of [entry.routers ?? [], entry.reroute_to ?? []]) for (const path of list) left -= path.length + 3
    if (left < 0) return true
  }
  return false
}
