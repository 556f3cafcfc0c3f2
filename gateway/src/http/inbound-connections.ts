import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { Server as HttpsServer } from 'node:https'
import { Server as NetServer, Socket } from 'node:net'

/** The connections of callers, whose calls run one after another on each. */
export type InboundConnections = {
  /** Begins calls in their turn: the next one of a connection when the answer before it has left. */
  inTurn(begin: RequestListener): RequestListener
  /**
   * Stops listening; ends connections that have no call, and all others when their calls have ended. Resolves once every
   * connection has ended, or after `timeoutMs`.
   */
  drain(timeoutMs: number): Promise<void>
  /** Cuts whatever is left. */
  destroy(): void
}

/** A request whose head arrives while the server stops is served when it is there within this time. */
const lastHeadMs = 1_000

/** More than this waiting on one connection, and nothing more is read from it for now. */
const mostWaiting = 16
const mostWaitingBytes = 16 * 1024
/**
 * Node parses all of a segment of 64 KiB, which may hold 3,000 requests. Where this many wait on all connections
 * together, one that has more than a few of them is cut.
 */
const mostWaitingInAll = 2_000
const fewWaiting = 8

export function trackInboundConnections(server: Server): InboundConnections {
  const connections = new Map<Socket, InboundConnection>()
  const shared: Shared = { waiting: 0, draining: false }
  /** Connections that have not ended their TLS handshake. */
  const handshakes = new Set<Socket>()
  if (server instanceof HttpsServer) {
    server.on('connection', (socket: Socket) => {
      handshakes.add(socket)
      socket.on('close', () => handshakes.delete(socket))
    })
    server.on('secureConnection', (socket: Socket) => {
      const below: unknown = Reflect.get(socket, '_parent')
      if (below instanceof Socket) handshakes.delete(below)
      add(socket)
    })
  } else server.on('connection', add)

  return {
    inTurn: (begin) => (request, response) => {
      const connection = connections.get(request.socket) ?? add(request.socket)
      connection.take({ request, response, begin })
    },
    drain: (timeoutMs) =>
      new Promise((resolve) => {
        shared.draining = true
        const timeout = setTimeout(settle, timeoutMs)
        const lastHeads = setTimeout(() => {
          for (const connection of connections.values()) connection.endUnlessCalled()
          for (const socket of handshakes) socket.destroy()
        }, lastHeadMs)
        // http's own close() would cut every connection whose answer is written but not yet sent.
        NetServer.prototype.close.call(server, settle)
        for (const connection of connections.values()) connection.endWhenIdle()

        function settle(): void {
          clearTimeout(lastHeads)
          clearTimeout(timeout)
          resolve()
        }
      }),
    destroy() {
      for (const socket of connections.keys()) socket.destroy()
      for (const socket of handshakes) socket.destroy()
    },
  }

  function add(socket: Socket): InboundConnection {
    const connection = new InboundConnection(socket, shared)
    connections.set(socket, connection)
    socket.on('close', () => connections.delete(socket))
    return connection
  }
}

type Shared = {
  /** Requests that wait for their turn, on all connections. */
  waiting: number
  draining: boolean
}

type Waiting = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly begin: RequestListener }

class InboundConnection {
  readonly #socket: Socket
  readonly #shared: Shared
  readonly #waiting: Waiting[] = []
  #waitingBytes = 0
  #current: ServerResponse | undefined
  /** Bytes that had been read when the last answer had left; undefined before the first call. */
  #readThen: number | undefined

  constructor(socket: Socket, shared: Shared) {
    this.#socket = socket
    this.#shared = shared
    // A caller that ends its side is gone, unless its answer is written already (wire, 5).
    socket.on('end', () => {
      this.#drop()
      if (this.#current?.writableEnded === false) socket.destroy()
    })
    socket.on('close', () => this.#drop())
  }

  take(call: Waiting): void {
    if (this.#current === undefined) this.#begin(call)
    else this.#wait(call)
  }

  /** Between two calls, with no byte of the next one. */
  endWhenIdle(): void {
    if (this.#current === undefined && this.#readThen === this.#socket.bytesRead) this.#socket.destroySoon()
  }

  endUnlessCalled(): void {
    if (this.#current === undefined) this.#socket.destroySoon()
  }

  #begin({ request, response, begin }: Waiting): void {
    this.#current = response
    response.on('close', () => this.#next())
    begin(request, response)
  }

  #wait(call: Waiting): void {
    this.#waiting.push(call)
    this.#shared.waiting += 1
    for (const text of call.request.rawHeaders) this.#waitingBytes += text.length
    if (this.#shared.waiting > mostWaitingInAll && this.#waiting.length > fewWaiting) this.#socket.destroy()
    // Below that it is read on: a caller that leaves is only seen by reading.
    else if (this.#isFull()) this.#socket.pause()
  }

  #isFull(): boolean {
    return this.#waiting.length > mostWaiting || this.#waitingBytes > mostWaitingBytes
  }

  #next(): void {
    this.#current = undefined
    this.#readThen = this.#socket.bytesRead
    // After an answer that closes the connection nothing behind it is a call.
    if (!this.#socket.writable) this.#drop()
    const call = this.#waiting.shift()
    if (call === undefined) {
      if (this.#shared.draining) this.#socket.destroySoon()
      return
    }
    this.#shared.waiting -= 1
    for (const text of call.request.rawHeaders) this.#waitingBytes -= text.length
    this.#begin(call)
    if (!this.#isFull()) this.#socket.resume()
  }

  #drop(): void {
    this.#shared.waiting -= this.#waiting.length
    this.#waiting.length = 0
    this.#waitingBytes = 0
  }
}
