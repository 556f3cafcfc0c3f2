/** A request without an answer. `code` is ours or the socket's, never a library's text. */
export class TransportError extends Error {
  readonly code: string
  constructor(code: string, cause: unknown) {
    super(code, { cause })
    this.code = code
  }
}

/** Makes a TransportError of any failure of a request. */
export function transportErrorOf(error: unknown): TransportError {
  return error instanceof TransportError ? error : new TransportError(codeOf(error), error)
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  return error instanceof Error && error.name === 'TimeoutError' ? 'TIMEOUT' : 'NO_ANSWER'
}
