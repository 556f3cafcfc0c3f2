import { connect } from 'node:net'
import { MESSAGE_ID_HEADER } from '@llm-gateway/protocol'
import type { NatsServer } from '@llm-gateway/test/fake/nats-server'

export type Published = { readonly json: string; readonly id?: string }

/**
 * Publishes records, with a Nats-Msg-Id if they have one. Writes the protocol by hand, like a client in another
 * language.
 */
export async function publish(
  server: Pick<NatsServer, 'port' | 'hostname' | 'token'>,
  subject: string,
  records: readonly Published[],
): Promise<void> {
  const socket = connect(server.port, server.hostname)
  const commands = records.map(({ json, id }) => {
    const size = Buffer.byteLength(json)
    if (id === undefined) return `PUB ${subject} ${size}\r\n${json}\r\n`
    const head = `NATS/1.0\r\n${MESSAGE_ID_HEADER}: ${id}\r\n\r\n`
    return `HPUB ${subject} ${head.length} ${head.length + size}\r\n${head}${json}\r\n`
  })
  socket.write(`CONNECT ${JSON.stringify({ auth_token: server.token, headers: true })}\r\n${commands.join('')}PING\r\n`)
  for await (const chunk of socket) if (String(chunk).includes('PONG')) break
}
