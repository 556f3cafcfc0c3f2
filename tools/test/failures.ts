import { relative } from 'node:path'

/** One event of the runner about a test that failed. */
export type Failure = { readonly name: string; readonly file: string | undefined; readonly error: unknown }

const MAX_TEXT = 300

/** A line per failed test: its file, its name and the error's first lines. A suite that fails by its tests has no line. */
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

/** The message of the error that the test threw, which the runner wraps in one of its own, and those of its causes. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause === undefined) return error.message
  const cause = messageOf(error.cause)
  return 'failureType' in error ? cause : `${error.message} (${cause})`
}
