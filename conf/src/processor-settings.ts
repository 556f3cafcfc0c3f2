import { z } from 'zod'
import { checkWithSchema, type FileCheck, type FileSchema } from './check-with-schema.ts'
import type { References } from './env-reference.ts'
import { logLevel, version } from './primitives.ts'
import { serviceBusSchema } from './service-bus.ts'
import { reasonOf } from './validation-errors.ts'

/** The keys that every processor's settings file has. */
export const programSettings = {
  version: version.default('1.0.1').describe('Version of the file’s format. Programs do not interpret it.'),
  log_level: logLevel.default('INFO').describe('Lines below this level are not written.'),
  service_bus: serviceBusSchema.prefault({}),
}

const programSchema = z.object(programSettings)
const PROGRAM_KEYS: ReadonlySet<string> = new Set(['$schema', ...Object.keys(programSettings)])

export type ProgramSettings = z.infer<typeof programSchema>

/** Checks a processor's settings file: common keys by programSettings, all others by `form.schema`. */
export function checkProcessorSettings<Own extends object>(
  bytes: Uint8Array,
  references: References,
  form: FileSchema<Own>,
): FileCheck<ProgramSettings & Own> {
  return checkWithSchema(bytes, references, { ...form, schema: wholeFile(form.schema) })
}

/**
 * Returns the schema of the whole file. Each part sees its own keys only, unlike in an intersection, so that each can
 * refuse unknown keys.
 */
function wholeFile<Own extends object>(ownSchema: z.ZodType<Own>): z.ZodType<ProgramSettings & Own> {
  return z.record(z.string(), z.unknown()).transform((file, context) => {
    const program = programSchema.safeParse(select(file, true), { reportInput: true })
    const own = ownSchema.safeParse(select(file, false), { reportInput: true })
    if (program.success && own.success) return { ...program.data, ...own.data }
    const issues = [...(program.error?.issues ?? []), ...(own.error?.issues ?? [])]
    for (const issue of issues) context.addIssue({ code: 'custom', path: issue.path, message: reasonOf(issue) })
    return z.NEVER
  })
}

function select(file: Readonly<Record<string, unknown>>, ofProgram: boolean): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(file).filter(([key]) => PROGRAM_KEYS.has(key) === ofProgram))
}
