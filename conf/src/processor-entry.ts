import { z } from 'zod'
import { boolean, milliseconds } from './primitives.ts'

const fieldNames = z.array(z.string()).max(10_000).default([])
/** The list is limited, because the gateway compiles it in one task of its main thread. */
const paths = z.array(z.string()).max(100_000).optional()

/** A processor of a row (docs/reference/configuration-rules.md#rows-and-entries). */
export const processorEntrySchema = z.object({
  name: z.string().regex(/^[A-Za-z0-9_]+$/, 'name:'),
  service_bus_topic: z.string().regex(/^[^\s*>.]+(\.[^\s*>.]+)*$/, 'subject:'),
  timeout: milliseconds.describe('milliseconds'),
  modifier: boolean.default(false).describe('false: only adds fields; true: only replaces fields that exist'),
  required: boolean.default(false).describe('without an answer the call is not made'),
  async: boolean.default(false).describe('called after the answer is sent'),
  input_fields_include: fieldNames.describe('first-level fields it is sent; empty: all'),
  input_fields_exclude: fieldNames,
  output_fields_write: fieldNames.describe('the only fields taken from its reply; empty: none'),
  routers: paths.describe('router paths; absent: every router'),
  reroute_to: paths.describe('router paths that a written gl_path may name; absent: any'),
})
export type ProcessorEntry = z.infer<typeof processorEntrySchema>

/** Returns the schema of `request` or `response` in gl_config.json, with the default rows. */
export function phaseSchema(defaultRows: z.input<typeof rowsSchema>) {
  return z.object({ processors: rowsSchema.prefault(defaultRows) }).prefault({})
}

const rowsSchema = z.array(z.array(processorEntrySchema))
