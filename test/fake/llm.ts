import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { Journal } from './journal.ts'
import { jsonAnswer, type LlmAnswer, play } from './llm-answer.ts'
import { answerLikeAnLlm } from './llm-dialects.ts'

/** One request as it reached the LLM. Fields that change while it runs end with the journal's `changed()`. */
export type SeenRequest = {
  /** 1 for the first. */
  readonly number: number
  /** Requests with one id came over one connection; 1 for the first. */
  readonly socketId: number
  readonly method: string
  readonly url: string
  /** name, value, name, value … as on the wire. */
  readonly rawHeaders: readonly string[]
  /** The bytes so far. */
  readonly body: Buffer
  /** The body has ended cleanly. */
  readonly complete: boolean
  /** The connection went before the answer was complete: cancelled by the other side (or by the answer's ending). */
  readonly aborted: boolean
  /** Every value of a header, by any case of its name. */
  header(name: string): readonly string[]
  /** The body parsed. */
  json(): unknown
}

export type Respond = (request: SeenRequest) => LlmAnswer | Promise<LlmAnswer>

export type Llm = {
  readonly port: number
  /** `http://127.0.0.1:port` or, with TLS, `https://127.0.0.1:port`. */
  readonly url: string
  readonly requests: Journal<SeenRequest>
  /** TCP connections accepted so far. */
  readonly connections: number
  readonly openConnections: number
  /** Scripts the answers from now on; `on: 'headers'` answers before the body is read. Nothing = like an LLM API. */
  respond(respond: Respond | undefined, options?: { readonly on?: 'headers' | 'body' }): void
  /** Resets every open connection (pooled sockets that die). */
  cutConnections(): void
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export type LlmOptions = {
  readonly port?: number
  readonly respond?: Respond
  /** PEM; makes it an https server. */
  readonly tls?: { readonly certificate: Buffer; readonly privateKey: Buffer }
  /** When an idle connection is closed; default never. */
  readonly keepAliveTimeoutMs?: number
}

/** A real LLM API on 127.0.0.1 that records what it gets and answers as told. */
export async function startLlm(options: LlmOptions = {}): Promise<Llm> {
  const requests = new Journal<SeenRequest>(5_000)
  const accepted = new Set<Socket>()
  const sockets = new Map<Socket, number>()
  let connections = 0
  let script: { respond: Respond | undefined; on: 'headers' | 'body' } = { respond: options.respond, on: 'body' }

  const answer = async (seen: SeenRequest, response: ServerResponse): Promise<void> => {
    try {
      const respond = script.respond ?? ((request) => answerLikeAnLlm(request.url, request.body))
      await play(await respond(seen), response)
    } catch (cause) {
      // The test's own script failed: visible to the caller, never a hang.
      if (!response.headersSent) await play(jsonAnswer({ scriptFailed: String(cause) }, { status: 599 }), response)
      else response.destroy()
    }
  }
  const listener: RequestListener = (request, response) => {
    const seen = new LiveRequest(request, requests.total + 1, sockets.get(request.socket) ?? 0)
    requests.add(seen)
    const { on } = script
    request.on('data', (chunk: Buffer) => seen.take(chunk))
    request.on('end', () => {
      seen.complete = true
      requests.changed()
      if (on === 'body') void answer(seen, response) // handles its own failures
    })
    response.on('close', () => {
      seen.aborted = !response.writableFinished
      requests.changed()
    })
    if (on === 'headers') void answer(seen, response) // handles its own failures
  }

  const server = createHttpServer(options, listener)
  server.on('connection', (socket: Socket) => {
    accepted.add(socket)
    socket.on('close', () => accepted.delete(socket))
  })
  server.on(options.tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    connections += 1
    sockets.set(socket, connections)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  })
  await listen(server, options.port ?? 0)
  const { port } = addressOf(server)
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    // Also those that never finished their TLS handshake.
    for (const socket of accepted) socket.destroy()
    await closed
  }
  return {
    port,
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests,
    get connections() {
      return connections
    },
    get openConnections() {
      return sockets.size
    },
    respond: (respond, { on = 'body' } = {}) => {
      script = { respond, on }
    },
    cutConnections: () => {
      for (const socket of accepted) socket.resetAndDestroy()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

class LiveRequest implements SeenRequest {
  readonly number: number
  readonly socketId: number
  readonly method: string
  readonly url: string
  readonly rawHeaders: readonly string[]
  complete = false
  aborted = false
  #chunks: Buffer[] = []

  constructor(request: IncomingMessage, number: number, socketId: number) {
    this.number = number
    this.socketId = socketId
    this.method = request.method ?? ''
    this.url = request.url ?? ''
    this.rawHeaders = request.rawHeaders
  }

  get body(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks[0] ?? Buffer.alloc(0)
  }

  take(chunk: Buffer): void {
    this.#chunks.push(chunk)
  }

  header(name: string): readonly string[] {
    const wanted = name.toLowerCase()
    return this.rawHeaders.filter((_, index) => index % 2 === 1 && this.rawHeaders[index - 1]?.toLowerCase() === wanted)
  }

  json(): unknown {
    return JSON.parse(this.body.toString())
  }
}

function createHttpServer(options: LlmOptions, listener: RequestListener): Server {
  const limits = {
    requestTimeout: 0,
    headersTimeout: 0,
    keepAliveTimeout: options.keepAliveTimeoutMs ?? 0,
    maxHeaderSize: 1024 * 1024,
  }
  if (options.tls === undefined) return createServer(limits, listener)
  return createTlsServer({ ...limits, cert: options.tls.certificate, key: options.tls.privateKey }, listener)
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve())
  })
}

function addressOf(server: Server): AddressInfo {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the fake LLM has no TCP address')
  return address
}
