import type { ServerResponse } from 'node:http'
import type { CancelSignal } from '../upstream/upstream.ts'

/** Cancelled when the connection closes before its answer was written to the end. */
export function createCallerSignal(response: ServerResponse): CancelSignal {
  const listeners: (() => void)[] = []
  let cancelled = false
  response.once('close', () => {
    if (response.writableFinished) return
    cancelled = true
    for (const listener of listeners) listener()
  })
  return {
    get cancelled() {
      return cancelled
    },
    onCancel(listener) {
      if (cancelled) listener()
      else listeners.push(listener)
    },
  }
}
