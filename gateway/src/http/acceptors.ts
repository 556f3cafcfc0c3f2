import type { Server } from 'node:http'
import { Server as HttpsServer } from 'node:https'
import { createServer, type Server as NetServer, type Socket } from 'node:net'
import { BACKLOG } from './backlog.ts'

/** The sockets that listen on the port: each accepts one connection in a turn. */
const ACCEPTORS = 128
/** Errors of systems without SO_REUSEPORT. */
const UNSUPPORTED: ReadonlySet<unknown> = new Set(['ENOTSUP', 'ENOPROTOOPT', 'EINVAL', 'ENOSYS'])

/**
 * Creates the servers that accept the connections of an HTTP server, the HTTP server first. Libuv accepts one connection
 * of a listening socket in a turn of the event loop, so that a caller behind hundreds of new connections would wait for
 * as many turns. The system spreads new connections over the sockets that listen on one port with SO_REUSEPORT.
 */
export function createAcceptors(server: Server): readonly NetServer[] {
  const give = (socket: Socket): void => void server.emit('connection', socket)
  // As node's own servers do: HTTP ends a half-open connection itself, and nothing would end one of a TLS handshake.
  const settings = { allowHalfOpen: !(server instanceof HttpsServer), noDelay: true }
  const more = Array.from({ length: ACCEPTORS - 1 }, () => createServer(settings, give))
  return [server, ...more]
}

/**
 * Makes all acceptors listen on a port (0 picks a free one) and returns it. Where the system doesn't share a port, only
 * the first listens. Rejects where the port is taken, even by sockets that would share it.
 */
export async function listenWithAll(acceptors: readonly NetServer[], port: number): Promise<number> {
  const [first, ...more] = acceptors
  if (first === undefined) throw new Error('no acceptor')
  if (port !== 0) await checkPort(port)
  try {
    const bound = await listenOn(first, { port, reusePort: true })
    for (const acceptor of more) await listenOn(acceptor, { port: bound, reusePort: true })
    return bound
  } catch (error) {
    if (!first.listening && isUnsupported(error)) return await listenOn(first, { port, reusePort: false })
    for (const acceptor of acceptors) if (acceptor.listening) acceptor.close()
    throw error
  }
}

/** Rejects where others listen on the port. */
async function checkPort(port: number): Promise<void> {
  const alone = createServer()
  await listenOn(alone, { port, reusePort: false })
  await new Promise((resolve) => alone.close(resolve))
}

function listenOn(server: NetServer, where: { readonly port: number; readonly reusePort: boolean }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ ...where, backlog: BACKLOG }, () => {
      server.off('error', reject)
      // Where the system has no memory for a connection, its caller sees the end; without a listener the process would end.
      server.on('error', () => undefined)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : where.port)
    })
  })
}

function isUnsupported(error: unknown): boolean {
  return error instanceof Error && 'code' in error && UNSUPPORTED.has(error.code)
}
