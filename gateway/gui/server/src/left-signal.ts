import type { ServerResponse } from 'node:http'

/** Returns a signal that is aborted when the caller leaves before it has the answer, and also after the answer. */
export function leftSignal(response: ServerResponse): AbortSignal {
  const left = new AbortController()
  // A caller that left before this line emits no further `close`.
  if (response.destroyed) left.abort()
  response.once('close', () => left.abort())
  return left.signal
}
