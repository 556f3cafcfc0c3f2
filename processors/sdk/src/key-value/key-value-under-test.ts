import { Journal } from '@llm-gateway/test/fake/journal'
import type { NatsServer } from '@llm-gateway/test/fake/nats-server'
import { type ConnectionOptions, connect, type NatsConnection } from 'nats'
import { journalLogger } from '../program/journal-logger-under-test.ts'
import type { KeyValue, KeyValueOptions, Watch } from './key-value.ts'
import { openNatsKeyValue } from './nats-key-value.ts'

/** Options of a direct request to the bus: the client's default is one second, too short on a busy machine. */
export const PATIENT = { timeout: 30_000 } as const

export const bytes = (text: string): Uint8Array => Buffer.from(text)

/** Opens a bucket on a connection of its own, with its log. */
export async function openedBucket(
  server: NatsServer,
  options: Partial<KeyValueOptions> = {},
  credentials: ConnectionOptions = server.token === undefined ? {} : { token: server.token },
) {
  const connection = await connectedTo(server, credentials)
  const { logger, lines, logged } = journalLogger()
  const bucket = { bucket: 'llm_test', maxBytes: 1024 * 1024, storage: 'file', ...options } as const
  const keyValue = openNatsKeyValue(connection, bucket, logger)
  return { connection, keyValue, lines, logged, [Symbol.asyncDispose]: () => connection.close() }
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

export type Report = readonly [key: string, value: string | undefined]

/** Starts a watch and collects its reports, values as text. */
export function watched(keyValue: KeyValue): { readonly reports: Journal<Report>; readonly watch: Watch } {
  const reports = new Journal<Report>()
  const watch = keyValue.watch((key, entry) => {
    reports.add([key, entry === undefined ? undefined : Buffer.from(entry.value).toString()])
  })
  return { reports, watch }
}
