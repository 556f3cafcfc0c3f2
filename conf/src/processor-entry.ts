import { z } from 'zod'
import { boolean, positive } from './primitives.ts'

/** One processor of a row (wire, 1.1). */
export const processorEntrySchema = z.object({
  name: z.string().regex(/^[A-Za-z0-9_]+$/),
  service_bus_topic: z.string().regex(/^[^\s*>.]+(\.[^\s*>.]+)*$/),
  timeout: positive,
  modifier: boolean.default(false),
  required: boolean.default(false),
  async: boolean.default(false),
  input_fields_include: z.array(z.string()).default([]),
  input_fields_exclude: z.array(z.string()).default([]),
  output_fields_write: z.array(z.string()).default([]),
  routers: z.array(z.string()).optional(),
  reroute_to: z.array(z.string()).optional(),
})
export type ProcessorEntry = z.infer<typeof processorEntrySchema>

export const rowsSchema = z.object({ processors: z.array(z.array(processorEntrySchema)).default([]) })
