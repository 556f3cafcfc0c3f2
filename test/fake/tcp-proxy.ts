import { connect, createServer, type Server, type Socket } from 'node:net'
import { freePort } from './free-port.ts'

/** A TCP proxy for one port of 127.0.0.1. A test pauses, cuts and resumes its connections. */
export type TcpProxy = {
  readonly port: number
  /** `127.0.0.1:port` */
  readonly address: string
  /** Number of open pairs of connections. */
  readonly openConnections: number
  /** Number of accepted connections. */
  readonly connections: number
  /** Bytes passed to the target. */
  readonly bytesIn: number
  /** Stops passing bytes both ways. New connections are accepted and wait. */
  hold(): void
  /** Passes the held bytes and goes on. */
  resume(): void
  /** Limits the speed of the bytes to the target, of each connection. */
  slow(bytesPerSecond: number): void
  /** Resets the open connections; new connections work. */
  cut(): void
  /** Closes the port until `listen()`. Open connections stay. */
  refuse(): Promise<void>
  listen(): Promise<void>
  /** Sends new connections to another port of 127.0.0.1. */
  pointTo(port: number): void
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

type Pair = { readonly near: Socket; far: Socket | undefined }

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const pairs = new Set<Pair>()
  let target = targetPort
  let held = false
  let connections = 0
  let bytesIn = 0
  let bytesPerMs = Number.POSITIVE_INFINITY
  // A port chosen by the system could be taken by another program between `refuse` and `listen`.
  const port = await freePort()

  const join = (pair: Pair): void => {
    const far = connect({ port: target, host: '127.0.0.1', noDelay: true })
    pair.far = far
    pair.near.on('data', (chunk: Buffer) => {
      bytesIn += chunk.length
      pass(chunk, pair.near, far)
      keepPace(chunk.length, pair.near)
    })
    far.on('data', (chunk: Buffer) => pass(chunk, far, pair.near))
    pair.near.on('end', () => far.end())
    far.on('end', () => pair.near.end())
    far.on('error', () => reset(pair.near))
    far.on('close', () => pair.near.destroy())
    if (held) far.pause()
    else pair.near.resume()
  }
  const accept = (near: Socket): void => {
    connections += 1
    const pair: Pair = { near, far: undefined }
    pairs.add(pair)
    near.pause()
    near.setNoDelay(true)
    near.on('error', () => reset(pair.far))
    near.on('close', () => {
      pairs.delete(pair)
      pair.far?.destroy()
    })
    if (!held) join(pair)
  }
  let server: Server
  const listenAgain = async (): Promise<void> => {
    server = createServer({ allowHalfOpen: true }, accept)
    await listenOn(server, port)
  }
  const pass = (chunk: Buffer, from: Socket, to: Socket): void => {
    if (to.write(chunk)) return
    from.pause()
    to.once('drain', () => {
      if (!held) from.resume()
    })
  }
  const keepPace = (bytes: number, from: Socket): void => {
    if (bytesPerMs === Number.POSITIVE_INFINITY) return
    from.pause()
    setTimeout(() => {
      if (!held) from.resume()
    }, bytes / bytesPerMs)
  }
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const { near } of pairs) near.destroy()
    await closed
  }
  await listenAgain()
  return {
    port,
    address: `127.0.0.1:${port}`,
    get openConnections() {
      return pairs.size
    },
    get connections() {
      return connections
    },
    get bytesIn() {
      return bytesIn
    },
    hold: () => {
      held = true
      for (const { near, far } of pairs) {
        near.pause()
        far?.pause()
      }
    },
    resume: () => {
      held = false
      for (const pair of pairs) {
        if (pair.far === undefined) join(pair)
        pair.near.resume()
        pair.far?.resume()
      }
    },
    slow: (bytesPerSecond) => {
      bytesPerMs = bytesPerSecond / 1_000
    },
    cut: () => {
      for (const { near, far } of pairs) {
        reset(near)
        reset(far)
      }
    },
    refuse: async () => {
      // `close()` resolves only after the open pairs are gone, but the port is free at once.
      server.close()
      await new Promise((resolve) => setImmediate(resolve))
    },
    listen: listenAgain,
    pointTo: (next) => {
      target = next
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Resets a socket. After `end()` libuv refuses a reset, and Node 24 then spins forever at the end of the process. */
function reset(socket: Socket | undefined): void {
  if (socket?.writableEnded === true) socket.destroy()
  else socket?.resetAndDestroy()
}

function listenOn(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
}
