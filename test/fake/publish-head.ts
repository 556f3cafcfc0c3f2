import { once } from 'node:events'
import { connect } from 'node:net'
import type { NatsServer } from './nats-server.ts'

/** The bytes of a message's headers, whose lines may be anything. */
export function headOf(...lines: readonly string[]): Buffer {
  return Buffer.from(['NATS/1.0', ...lines, '', ''].join('\r\n'))
}

/** Lines with `count` different names. */
export function manyNames(count: number): string {
  return Array.from({ length: count }, (_, n) => `${n.toString(36)}:b`).join('\r\n')
}

type RawMessage = {
  readonly head: Uint8Array
  readonly payload?: Uint8Array
  /** The reply subject; without it the message has none. */
  readonly reply?: Uint8Array
}

/**
 * Publishes a message with these bytes as its headers and as its reply subject, which no client library would send.
 * Resolves when the server has the message.
 */
export async function publishHead(
  server: Pick<NatsServer, 'port' | 'hostname' | 'token'>,
  subject: string,
  { head, payload = Buffer.alloc(0), reply = Buffer.alloc(0) }: RawMessage,
): Promise<void> {
  const socket = connect(server.port, server.hostname)
  await once(socket, 'connect')
  socket.write(`CONNECT ${JSON.stringify({ verbose: false, headers: true, auth_token: server.token })}\r\n`)
  socket.write(Buffer.concat([Buffer.from(`HPUB ${subject} `), reply]))
  socket.write(` ${head.length} ${head.length + payload.length}\r\n`)
  socket.write(Buffer.concat([head, payload, Buffer.from('\r\nPING\r\n')]))
  for await (const chunk of socket) if (String(chunk).includes('PONG')) break
}
