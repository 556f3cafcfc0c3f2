import { connect, type Socket } from 'node:net'

export type WireMessage = {
  /** A part of a reused buffer, valid only during the call. */
  readonly payload: Buffer
  /** The raw headers with their first line; empty if there are none. */
  readonly headers: Buffer
  readonly reply: string | undefined
}

/** The part of the NATS protocol that the bench needs. A client library would add its own cost per megabyte. */
export type WireClient = {
  publish(subject: string, payload: Uint8Array): void
  close(): void
}

const READ_BYTES = 1024 * 1024
const START_BYTES = 8 * 1024 * 1024

/**
 * Subscribes to one subject. Resolves when the server has the subscription. Calls `failed` when the connection is lost.
 */
export function subscribeWire(options: {
  readonly port: number
  readonly token: string
  readonly subject: string
  readonly take: (message: WireMessage, client: WireClient) => void
  readonly failed: (reason: string) => void
}): Promise<WireClient> {
  return new Promise((resolve) => {
    let held = Buffer.allocUnsafe(START_BYTES)
    let from = 0
    let to = 0
    const read = Buffer.allocUnsafe(READ_BYTES)
    const append = (bytes: number): void => {
      if (to + bytes > held.length) {
        const next = to - from + bytes > held.length / 2 ? Buffer.allocUnsafe(held.length * 2) : held
        held.copy(next, 0, from, to)
        held = next
        to -= from
        from = 0
      }
      read.copy(held, to, 0, bytes)
      to += bytes
    }
    const socket: Socket = connect({
      port: options.port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: read,
        callback: (bytes) => {
          append(bytes)
          from = parse(held, from, to, operations)
          if (from === to) {
            from = 0
            to = 0
          }
          return true
        },
      },
    })
    const client: WireClient = {
      publish: (subject, payload) => {
        socket.cork()
        socket.write(`PUB ${subject} ${payload.length}\r\n`)
        socket.write(payload)
        socket.write('\r\n')
        socket.uncork()
      },
      close: () => socket.destroy(),
    }
    const operations: Operations = {
      ping: () => socket.write('PONG\r\n'),
      pong: () => resolve(client),
      failed: options.failed,
      message: (message) => options.take(message, client),
    }
    const hello = {
      verbose: false,
      pedantic: false,
      headers: true,
      auth_token: options.token,
      lang: 'bench',
      version: '1',
    }
    socket.write(`CONNECT ${JSON.stringify(hello)}\r\nSUB ${options.subject} 1\r\nPING\r\n`)
    socket.on('error', () => options.failed('connection'))
    socket.on('end', () => options.failed('closed by the server'))
  })
}

type Operations = {
  ping(): void
  pong(): void
  failed(reason: string): void
  message(message: WireMessage): void
}

/** Handles every complete operation in `held[from, to)`. Returns the offset of the first incomplete operation. */
function parse(held: Buffer, from: number, to: number, operations: Operations): number {
  let at = from
  while (at < to) {
    const end = held.indexOf('\r\n', at)
    if (end < 0 || end >= to) return at
    const line = held.toString('latin1', at, end)
    if (line.startsWith('MSG ') || line.startsWith('HMSG ')) {
      const fields = line.split(' ')
      const headers = line.startsWith('H')
      const total = Number(fields.at(-1))
      const headerBytes = headers ? Number(fields.at(-2)) : 0
      const start = end + 2
      if (start + total + 2 > to) return at
      const reply = fields.length === (headers ? 6 : 5) ? fields[3] : undefined
      operations.message({
        payload: held.subarray(start + headerBytes, start + total),
        headers: held.subarray(start, start + headerBytes),
        reply,
      })
      at = start + total + 2
      continue
    }
    if (line === 'PING') operations.ping()
    else if (line === 'PONG') operations.pong()
    else if (line.startsWith('-ERR')) operations.failed(line)
    at = end + 2
  }
  return at
}
