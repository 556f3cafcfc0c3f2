/** The constant that names an error: its messages may hold paths, addresses and values, and stay out of the log. */
export function errorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  return 'UNKNOWN'
}
