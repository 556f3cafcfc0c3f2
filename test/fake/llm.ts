import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { Journal } from './journal.ts'
import { jsonAnswer, type LlmAnswer, sendAnswer } from './llm-answer.ts'
import { answerLikeAnLlm } from './llm-dialects.ts'

/** A request at the LLM. Changes of its fields are announced by the journal's `changed()`. */
export type SeenRequest = {
  /** 1 for the first. */
  readonly number: number
  /** The number of the request's connection; 1 for the first. */
  readonly socketId: number
  readonly method: string
  readonly url: string
  /** name, value, name, value … as on the wire. */
  readonly rawHeaders: readonly string[]
  /** The bytes received so far. */
  readonly body: Buffer
  /** True once the body has ended cleanly. */
  readonly complete: boolean
  /** True if the connection closed before the answer was complete, by either side. */
  readonly aborted: boolean
  /** Returns every value of a header, by any case of its name. */
  header(name: string): readonly string[]
  /** Parses the body. */
  json(): unknown
}

export type Respond = (request: SeenRequest) => LlmAnswer | Promise<LlmAnswer>

export type Llm = {
  readonly port: number
  /** `http://127.0.0.1:port` or, with TLS, `https://127.0.0.1:port`. */
  readonly url: string
  readonly requests: Journal<SeenRequest>
  /** Number of accepted TCP connections. */
  readonly connections: number
  readonly openConnections: number
  /** Sets the script of answers; undefined answers like an LLM API. `on: 'headers'` answers before the body is read. */
  respond(respond: Respond | undefined, options?: { readonly on?: 'headers' | 'body' }): void
  /** Resets every open connection, as when pooled sockets die. */
  cutConnections(): void
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export type LlmOptions = {
  readonly port?: number
  readonly respond?: Respond
  /** PEM; makes the server an HTTPS server. */
  readonly tls?: { readonly certificate: Buffer; readonly privateKey: Buffer }
  /** Time after which an idle connection is closed; default never. */
  readonly keepAliveTimeoutMs?: number
}

/** Starts an LLM API on 127.0.0.1 that records its requests and answers as scripted. */
export async function startLlm(options: LlmOptions = {}): Promise<Llm> {
  const requests = new Journal<SeenRequest>(5_000)
  const accepted = new Set<Socket>()
  const sockets = new Map<Socket, number>()
  let connections = 0
  let script: { respond: Respond | undefined; on: 'headers' | 'body' } = { respond: options.respond, on: 'body' }

  const answer = async (seen: SeenRequest, response: ServerResponse): Promise<void> => {
    try {
      const respond = script.respond ?? ((request) => answerLikeAnLlm(request.url, request.body))
      await sendAnswer(await respond(seen), response)
    } catch (cause) {
      // A failed script of the test becomes an answer that the caller sees, never a hang.
      if (!response.headersSent)
        await sendAnswer(jsonAnswer({ scriptFailed: String(cause) }, { status: 599 }), response)
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
    // `accepted` also has the connections that never finished their TLS handshake.
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
