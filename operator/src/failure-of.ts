/** The parts of an error that may be logged: its code, and for a bug its place. Its message may hold a value. */
export type LoggedFailure = { readonly code: string; readonly at?: readonly string[] }

const MAX_FRAMES = 4

export function failureOf(error: unknown): LoggedFailure {
  if (!(error instanceof Error)) return { code: 'INTERNAL' }
  if ('code' in error && typeof error.code === 'string') return { code: error.code }
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return {
    code: 'INTERNAL',
    at: frames.slice(0, MAX_FRAMES).map((line) => line.trim().replace(/\(.*\/operator\//, '(')),
  }
}
