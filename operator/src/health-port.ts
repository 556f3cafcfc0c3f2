import { createServer } from 'node:http'

export type HealthPortOptions = {
  readonly port: number
  readonly ready: () => boolean
  /** The metrics as Prometheus text. */
  readonly metrics: () => Promise<string>
}

export type HealthPort = { close(): Promise<void> }

const REQUEST_TIMEOUT_MS = 10_000

/** Serves `/healthz`, `/readyz` and `/metrics` until it is closed. */
export async function startHealthPort({ port, ready, metrics }: HealthPortOptions): Promise<HealthPort> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    const answer = (status: number, text: string): void => {
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text)
    }
    switch (request.url) {
      case '/healthz':
        return answer(200, 'ok\n')
      case '/readyz':
        return ready() ? answer(200, 'ready\n') : answer(503, 'not ready\n')
      case '/metrics':
        metrics().then(
          (text) => answer(200, text),
          () => answer(500, 'internal\n'),
        )
        return
      default:
        return answer(404, 'not found\n')
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, resolve)
  })
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
