import { Journal } from '@llm-gateway/test/fake/journal'
import type { NatsServer } from '@llm-gateway/test/fake/nats-server'
import { type ConnectionOptions, connect, type NatsConnection } from 'nats'
import { journalLogger } from './journal-logger-under-test.ts'
import type { KeyValue, KeyValueOptions, Watch } from './key-value.ts'
import { openNatsKeyValue } from './nats-key-value.ts'

/** Of a request to the bus itself: its client waits one second otherwise, and a machine may stand still. */
export const PATIENT = { timeout: 30_000 } as const

export const bytes = (text: string): Uint8Array => Buffer.from(text)

/** A bucket opened on a connection of its own, and what was logged of it. */
export async function openedBucket(
  server: NatsServer,
  options: Partial<KeyValueOptions> = {},
  credentials: ConnectionOptions = server.token === undefined ? {} : { token: server.token },
) {
  const connection = await connectedTo(server, credentials)
  const { logger, lines, said } = journalLogger()
  const bucket = { bucket: 'llm_test', maxBytes: 1024 * 1024, storage: 'file', ...options } as const
  const keyValue = openNatsKeyValue(connection, bucket, logger)
  return { connection, keyValue, lines, said, [Symbol.asyncDispose]: () => connection.close() }
}

async function connectedTo(server: NatsServer, credentials: ConnectionOptions): Promise<NatsConnection> {
  return await connect({
    servers: server.address,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 20,
    reconnectJitter: 10,
    ...credentials,
  })
}

export type Told = readonly [key: string, value: string | undefined]

/** A watch and what it told, values as text. */
export function watched(keyValue: KeyValue): { readonly told: Journal<Told>; readonly watch: Watch } {
  const told = new Journal<Told>()
  const watch = keyValue.watch((key, entry) => {
    told.add([key, entry === undefined ? undefined : Buffer.from(entry.value).toString()])
  })
  return { told, watch }
}
