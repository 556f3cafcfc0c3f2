import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'

/** Starts a server that gets the page's requests until the test ends. */
export async function startServer(t: { after(end: () => void): void }, listener: RequestListener): Promise<void> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  const { fetch } = globalThis
  t.after(() => Object.assign(globalThis, { fetch }))
  // A browser completes the path with the page's address, which Node lacks.
  const fetchHere = (path: string, init: RequestInit) => fetch(`http://127.0.0.1:${address.port}${path}`, init)
  Object.assign(globalThis, { fetch: fetchHere })
}
