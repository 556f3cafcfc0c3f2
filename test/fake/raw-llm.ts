import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { LlmOptions } from './llm.ts'

/** Handles request `number` of a connection; `head` is the request's head. */
export type RawScript = (socket: Socket, head: string, number: number) => void

export type RawLlm = {
  readonly url: string
  readonly sockets: readonly Socket[]
  /** The heads of all requests in order. */
  readonly heads: readonly string[]
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts an LLM API that writes raw bytes: the script gets each request's head, and the body stays on the socket. */
export async function startRawLlm(script: RawScript, tls?: LlmOptions['tls']): Promise<RawLlm> {
  const sockets: Socket[] = []
  const heads: string[] = []
  const serve = (socket: Socket): void => {
    sockets.push(socket)
    let text = ''
    let number = 0
    socket.on('error', () => undefined)
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1')
      for (let end = text.indexOf('\r\n\r\n'); end !== -1; end = text.indexOf('\r\n\r\n')) {
        const head = text.slice(0, end + 4)
        text = text.slice(end + 4)
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
        // Skips the part of the body that came with the head. Tests with long bodies pause the socket.
        text = text.slice(Math.min(length, text.length))
        heads.push(head)
        number += 1
        script(socket, head, number)
      }
    })
  }
  const server =
    tls === undefined
      ? createServer(serve)
      : createTlsServer({ cert: tls.certificate, key: tls.privateKey }, serve).on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP address')
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${address.port}`,
    sockets,
    heads,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
