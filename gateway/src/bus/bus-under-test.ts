import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { Journal } from '@llm-gateway/test/fake/journal'
import type { NatsServer } from '@llm-gateway/test/fake/nats-server'
import { Secret } from '../config/secret.ts'
import type { Bus, CallOptions } from './bus.ts'
import { createNatsBus, type NatsBusOptions } from './nats-bus.ts'
import { createRecordConnection, type RecordConnection, type RecordConnectionOptions } from './record-connection.ts'
import { CuttablePart, type RecordText } from './record-message.ts'

export type Line = { readonly level: 'INFO' | 'WARN'; readonly msg: string; readonly fields: Record<string, unknown> }

type UnderTest = { readonly lines: Journal<Line>; [Symbol.asyncDispose](): Promise<void> }

/** A bus of the gateway with its log lines; retries fast. */
export type BusUnderTest = Bus & UnderTest

/** The records' connection with its log lines and the message ids handed to it. */
export type RecordConnectionUnderTest = RecordConnection &
  UnderTest & { readonly sent: Journal<string>; readonly logger: RecordConnectionOptions['logger'] }

/** The options of a call for some router. */
export function within(timeoutMs: number): CallOptions {
  return { timeoutMs, router: '/llm/' }
}

type Place = Pick<NatsServer, 'hostname' | 'port' | 'token'>

const FAST = { firstPauseMs: 10, longestPauseMs: 50, connectTimeoutMs: 20_000, readersReturnMs: 0 }

export function busUnderTest(server: Place, options: Partial<NatsBusOptions> = {}): BusUnderTest {
  const lines = new Journal<Line>()
  const bus = createNatsBus(optionsUnderTest(server, options, lines))
  return Object.assign(bus, { lines, [Symbol.asyncDispose]: () => bus.close() })
}

export function recordConnectionUnderTest(
  server: Place,
  options: Partial<RecordConnectionOptions> = {},
): RecordConnectionUnderTest {
  const lines = new Journal<Line>()
  const sent = new Journal<string>(100_000)
  const underTest = optionsUnderTest(server, options, lines)
  const connection = createRecordConnection(underTest)
  const send = connection.publish.bind(connection)
  const publish: RecordConnection['publish'] = (message) => {
    sent.add(message.head.messageId)
    return send(message)
  }
  return Object.assign(connection, {
    lines,
    sent,
    publish,
    logger: underTest.logger,
    [Symbol.asyncDispose]: () => connection.close(),
  })
}

function optionsUnderTest(
  server: Place,
  options: Partial<RecordConnectionOptions>,
  lines: Journal<Line>,
): RecordConnectionOptions {
  const logAs = (level: Line['level']) => (fields: object, msg: string) =>
    lines.add({ level, msg, fields: { ...fields } })
  return {
    hostname: server.hostname,
    port: server.port,
    logger: { info: logAs('INFO'), warn: logAs('WARN') },
    ...(server.token === undefined ? {} : { token: new Secret(server.token) }),
    ...options,
    timings: { ...FAST, ...options.timings },
  }
}

type BusState = Pick<Bus, 'connected' | 'onConnected' | 'onDisconnected'>

/** The text of a record from the JSON of a whole object: without the last brace, which the message adds. */
export function recordText(...parts: RecordText['parts']): RecordText {
  const last = parts.at(-1)
  assert.ok(last !== undefined && !(last instanceof CuttablePart))
  return { router: '/a/', parts: [...parts.slice(0, -1), last.slice(0, -1)], cut: [] }
}

/** Waits until the bus is connected. */
export async function connected(bus: BusState): Promise<void> {
  if (bus.connected) return
  await new Promise<void>((resolve) => bus.onConnected(resolve))
}

export async function disconnected(bus: BusState): Promise<void> {
  if (!bus.connected) return
  await new Promise<void>((resolve) => bus.onDisconnected(resolve))
}

/** Starts a server that accepts connections and stays silent. */
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
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP address')
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
