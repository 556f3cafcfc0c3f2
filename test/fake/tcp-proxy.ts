import { connect, createServer, type Server, type Socket } from 'node:net'
import { freePort } from './free-port.ts'

/** A TCP proxy in front of one port of 127.0.0.1 whose connections a test holds, cuts and lets go. */
export type TcpProxy = {
  readonly port: number
  /** `127.0.0.1:port`. */
  readonly address: string
  /** Pairs that are open now. */
  readonly openConnections: number
  /** Connections accepted so far. */
  readonly connections: number
  /** Bytes passed towards the target so far. */
  readonly bytesIn: number
  /** Stops passing bytes both ways; new connections are accepted and wait. */
  hold(): void
  /** Passes what was held, and goes on. */
  resume(): void
  /** Resets what is open; new connections work. */
  cut(): void
  /** Refuses new connections: the port is closed until `listen()`. What is open stays. */
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
  // Not one of the system's choice: between `refuse` and `listen` somebody else could get that.
  const port = await freePort()

  const join = (pair: Pair): void => {
    const far = connect({ port: target, host: '127.0.0.1', noDelay: true })
    pair.far = far
    pair.near.on('data', (chunk: Buffer) => {
      bytesIn += chunk.length
      pass(chunk, pair.near, far)
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
    await listening(server, port)
  }
  const pass = (chunk: Buffer, from: Socket, to: Socket): void => {
    if (to.write(chunk)) return
    from.pause()
    to.once('drain', () => {
      if (!held) from.resume()
    })
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
    cut: () => {
      for (const { near, far } of pairs) {
        reset(near)
        reset(far)
      }
    },
    refuse: async () => {
      // close() only resolves when the open pairs are gone; the port is free as soon as it was called.
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

/** A reset after `end()` is refused by libuv, and Node 24 then spins for ever when the process ends. */
function reset(socket: Socket | undefined): void {
  if (socket?.writableEnded === true) socket.destroy()
  else socket?.resetAndDestroy()
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
}
