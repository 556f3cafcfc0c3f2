import type { z } from 'zod'
import { shortName } from './short-name.ts'

/** Configuration path → reason. */
export type ValidationErrors = Readonly<Record<string, string>>

export const MAX_ERRORS = 50

/**
 * Converts a schema's issues to our own codes: `required:` `type:number` `min:1` `max:65535` `oneof:DEBUG INFO`. Where a
 * schema gives a code as its message, such as `header:`, the result is this code.
 */
export function validationErrors(error: z.ZodError, root: string): ValidationErrors {
  return Object.fromEntries(
    error.issues.slice(0, MAX_ERRORS).map((issue) => [shortName(fieldPath(root, issue.path)), reasonOf(issue)]),
  )
}

/** Returns a path such as `gl_config.request.processors[0][1].timeout`. */
function fieldPath(root: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (at, part) => (typeof part === 'number' ? `${at}[${part}]` : `${at}.${String(part)}`),
    root,
  )
}

/** Returns the code of one issue; the text of a library is for people and changes with its version. */
export function reasonOf(issue: z.core.$ZodIssue): string {
  if (/^[a-z_]+:/.test(issue.message)) return issue.message
  if (issue.input === undefined || issue.input === '') return 'required:'
  switch (issue.code) {
    case 'invalid_type':
      return `type:${issue.expected === 'int' ? 'number' : issue.expected}`
    case 'too_small':
      return `min:${issue.minimum}`
    case 'too_big':
      return `max:${issue.maximum}`
    case 'invalid_value':
      return `oneof:${issue.values.map(String).join(' ')}`
    default:
      return 'format:'
  }
}
