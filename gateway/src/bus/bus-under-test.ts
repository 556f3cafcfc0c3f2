import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { Journal } from '@llm-gateway/test/fake/journal'
import type { NatsServer } from '@llm-gateway/test/fake/nats-server'
import { Secret } from '../config/secret.ts'
import type { Bus } from './bus.ts'
import { createNatsBus, type NatsBusOptions } from './nats-bus.ts'

export type Line = { readonly level: 'INFO' | 'WARN'; readonly msg: string; readonly fields: Record<string, unknown> }

/** A bus of the gateway for tests, with what it logged and published; retries fast. */
export type BusUnderTest = Bus & {
  readonly lines: Journal<Line>
  /** Message ids handed to the connection. */
  readonly sent: Journal<string>
  [Symbol.asyncDispose](): Promise<void>
}

const FAST = { firstPauseMs: 10, longestPauseMs: 50, connectTimeoutMs: 1_000 }

export function busUnderTest(
  server: Pick<NatsServer, 'hostname' | 'port' | 'token'>,
  options: Partial<NatsBusOptions> = {},
): BusUnderTest {
  const lines = new Journal<Line>()
  const logAs = (level: Line['level']) => (fields: object, msg: string) =>
    lines.add({ level, msg, fields: { ...fields } })
  const bus = createNatsBus({
    hostname: server.hostname,
    port: server.port,
    logger: { info: logAs('INFO'), warn: logAs('WARN') },
    ...(server.token === undefined ? {} : { token: new Secret(server.token) }),
    ...options,
    timings: { ...FAST, ...options.timings },
  })
  const sent = new Journal<string>()
  const send = bus.publish.bind(bus)
  const publish: Bus['publish'] = (subject, payload, messageId) => {
    sent.add(messageId)
    return send(subject, payload, messageId)
  }
  return Object.assign(bus, { lines, sent, publish, [Symbol.asyncDispose]: () => bus.close() })
}

/** Returns when the bus is connected. */
export async function connected(bus: BusUnderTest): Promise<void> {
  if (bus.connected) return
  await new Promise<void>((resolve) => bus.onConnected(resolve))
}

export async function disconnected(bus: BusUnderTest): Promise<void> {
  if (!bus.connected) return
  await new Promise<void>((resolve) => bus.onDisconnected(resolve))
}

/** A server that accepts connections and never says a word. */
export async function silentServer(): Promise<{
  port: number
  sockets: Set<Socket>
  [Symbol.asyncDispose](): Promise<void>
}> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no TCP address')
  return {
    port: address.port,
    sockets,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
