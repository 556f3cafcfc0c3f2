import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'

/** The answers of a server that aren't on their way to the last byte yet. */
export type OpenAnswers = {
  add(response: ServerResponse): void
  /**
   * Stops listening; ends idle connections, but none that still takes an answer. Resolves once every connection has
   * ended, or after `timeoutMs`.
   */
  drain(timeoutMs: number): Promise<void>
}

const lookMs = 20

export function trackOpenAnswers(server: Server): OpenAnswers {
  let open = 0
  return {
    add(response) {
      open += 1
      // Comes once; `once` would cost a wrapper and a removal.
      response.on('close', () => {
        open -= 1
      })
    },
    drain: (timeoutMs) =>
      new Promise((resolve) => {
        const look = setInterval(closeIdle, lookMs)
        const timeout = setTimeout(settle, timeoutMs)
        // http's own close() would cut every connection whose answer is written but not yet sent.
        NetServer.prototype.close.call(server, settle)
        closeIdle()

        function settle(): void {
          clearInterval(look)
          clearTimeout(timeout)
          resolve()
        }
      }),
  }

  function closeIdle(): void {
    if (open === 0) server.closeIdleConnections()
  }
}
