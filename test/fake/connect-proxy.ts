import { createServer, request as forward, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Journal } from './journal.ts'

/** A request to the proxy: `CONNECT host:port` or `GET http://host/…`. */
export type ProxyRequest = { readonly line: string; readonly headers: IncomingMessage['headers'] }

/** An HTTP proxy on 127.0.0.1. The proxy connects every target to this machine's IPv4 loopback. */
export type ConnectProxy = {
  readonly url: string
  readonly port: number
  readonly requests: Journal<ProxyRequest>
  /** Sets the answer to CONNECT; default 200. `undefined` means no answer. */
  answer(status: number | undefined): void
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export async function startConnectProxy(): Promise<ConnectProxy> {
  const requests = new Journal<ProxyRequest>()
  const open = new Set<Socket>()
  let status: number | undefined = 200
  const server = createServer((request, response) => {
    requests.add({ line: `${request.method} ${request.url}`, headers: request.headers })
    const target = new URL(request.url ?? '')
    const options = { host: '127.0.0.1', port: target.port, path: target.pathname, headers: request.headers }
    const onward = forward({ ...options, method: request.method ?? 'GET' }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  server.on('connection', (socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  server.on('connect', (request, near: Socket) => {
    requests.add({ line: `CONNECT ${request.url}`, headers: request.headers })
    near.on('error', () => near.destroy())
    if (status === undefined) return
    if (status !== 200) return near.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`)
    const far = connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n')
      near.pipe(far).pipe(near)
    })
    far.on('error', () => near.destroy())
    near.on('close', () => far.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no TCP address')
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const socket of open) socket.destroy()
    await closed
  }
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    requests,
    answer: (next) => {
      status = next
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
