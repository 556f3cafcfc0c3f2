import { relative } from 'node:path'

/** The test runner's event of a failed test. */
export type Failure = { readonly name: string; readonly file: string | undefined; readonly error: unknown }

const MAX_TEXT = 300

/**
 * Returns a line per failed test: file, name and the beginning of the error. A suite that failed only by its tests has
 * no line.
 */
export function failureLines(failures: readonly Failure[], root: string): readonly string[] {
  return failures.filter(({ error }) => !isOfSubtests(error)).map((failure) => failureLine(failure, root))
}

function failureLine({ name, file, error }: Failure, root: string): string {
  const place = file === undefined ? '' : `${relative(root, file)}: `
  return `# failed ${place}${name}: ${messageOf(error).replaceAll(/\s+/g, ' ').slice(0, MAX_TEXT)}`
}

function isOfSubtests(error: unknown): boolean {
  return error instanceof Error && 'failureType' in error && error.failureType === 'subtestsFailed'
}

/** Returns the message of the test's error, without the runner's wrapper, and of its causes. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause === undefined) return error.message
  const cause = messageOf(error.cause)
  return 'failureType' in error ? cause : `${error.message} (${cause})`
}
