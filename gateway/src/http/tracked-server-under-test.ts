import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type InboundBounds, type InboundConnections, trackInboundConnections } from './inbound-connections.ts'

/** A listening server with tracked connections. `open` begins a connection to it; `sockets` are all that were begun. */
export type TrackedServer = {
  readonly server: Server
  readonly connections: InboundConnections
  readonly sockets: readonly Socket[]
  open(): Socket
}

/** Starts a server for a test, which closes it with its connections at the test's end. */
export async function trackedServerUnderTest(t: TestContext, bounds?: Partial<InboundBounds>): Promise<TrackedServer> {
  const server = createServer()
  const connections = trackInboundConnections(server, bounds)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const sockets: Socket[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    connections.destroy()
    server.close()
  })
  const open = (): Socket => {
    const socket = connect(address.port, '127.0.0.1')
    socket.on('error', () => undefined)
    sockets.push(socket)
    return socket
  }
  return { server, connections, sockets, open }
}

const CALL = 'GET / HTTP/1.1\r\nHost: gateway\r\n\r\n'

export type AnsweredCallers = {
  readonly connections: InboundConnections
  readonly sockets: readonly Socket[]
  /** The server's ends of the sockets. */
  readonly served: readonly Socket[]
}

/** Connects callers that have had an answer. The server discards every body and answers every call. */
export async function answeredCallers(t: TestContext, callers: number): Promise<AnsweredCallers> {
  const { server, connections, sockets, open } = await trackedServerUnderTest(t)
  server.maxHeadersCount = 0
  const served: Socket[] = []
  server.on('connection', (socket: Socket) => served.push(socket))
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    connections.of(request.socket).releaseBody()
    request.resume()
    response.end()
  }
  server.on('request', connections.oneByOne(answer))
  for (let count = 0; count < callers; count += 1) {
    const socket = open()
    await once(socket, 'connect')
    socket.write(CALL)
    await once(socket, 'data')
  }
  return { connections, sockets, served }
}

/** Returns the most bytes that sockets read in one turn of the event loop, until each has read `bytes` more. */
export async function mostReadInTurn(sockets: readonly Socket[], bytes: number): Promise<number> {
  const arrived = (): number => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0)
  const end = arrived() + sockets.length * bytes
  let most = 0
  for (let before = arrived(); before < end; ) {
    await nextTurn()
    const now = arrived()
    most = Math.max(most, now - before)
    before = now
  }
  return most
}
