import { z } from 'zod'

/** Returns the schema of an integer or of its text: `"gl_port": "${PORT}"` is a text after the expansion. */
export function integer(minimum: number, maximum = Number.MAX_SAFE_INTEGER) {
  return z.preprocess(numberOfText, z.int().min(minimum).max(maximum))
}

function numberOfText(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value
}

export const boolean = z.preprocess(booleanOfText, z.boolean())

function booleanOfText(value: unknown): unknown {
  if (value === 'true') return true
  return value === 'false' ? false : value
}

/** The longest delay of a timer; with a longer delay the timer would fire at once. */
const MAXIMUM_TIMER_MS = 2 ** 31 - 1

export const positive = integer(1)
export const milliseconds = integer(1, MAXIMUM_TIMER_MS)
export const port = integer(0, 65_535)

/** A token of HTTP, the form of a header's name (RFC 9110, 5.6.2). */
export const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** The message is a code, not a text: see `validationErrors`. So are `semver:` and `unique:` below. */
export const headerName = z.string().regex(TOKEN, 'header:')

export const logLevel = z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR'])
export const version = z.string().regex(/^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$/, 'semver:')

/** Returns the schema of a list of names that differ by more than their case. */
export function uniqueNames(name: z.ZodType<string, string>) {
  return z
    .array(name)
    .refine((names) => new Set(names.map((text) => text.toLowerCase())).size === names.length, 'unique:')
}
