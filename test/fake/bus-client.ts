import { connect, headers, type NatsConnection } from 'nats'
import type { NatsServer } from './nats-server.ts'

/** The address of a bus: a server from `startNatsServer`, or any other. */
export type BusAddress = Pick<NatsServer, 'address' | 'token'> & {
  /** A user in place of a token. */
  readonly user?: { readonly name: string; readonly password: string }
}

export type BusMessage = {
  readonly subject: string
  readonly bytes: Uint8Array
  /** The header Nats-Msg-Id. */
  readonly messageId: string | undefined
  /** The header Gateway-Deadline. */
  readonly deadline: string | undefined
  /** The header Gateway-Router. */
  readonly router: string | undefined
  /** True if the sender waits for a reply. */
  readonly wantsReply: boolean
  reply(bytes: Uint8Array): void
}

/** A raw client of the bus for tests. After a restart of the server it reconnects with its subscriptions. */
export type BusClient = {
  /** Resolves when the server has the subscription. The returned function ends it. */
  subscribe(subject: string, take: (message: BusMessage) => void, queue?: string): Promise<() => void>
  request(subject: string, bytes: Uint8Array, timeoutMs?: number): Promise<Uint8Array>
  /** Requests with a Gateway-Deadline after `timeoutMs`, without a Gateway-Router. */
  ask(subject: string, bytes: Uint8Array, timeoutMs: number): Promise<Uint8Array>
  /** Requests with a Gateway-Deadline after `timeoutMs` and a Gateway-Router, as the gateway does. */
  askFor(router: string, subject: string, bytes: Uint8Array, timeoutMs: number): Promise<Uint8Array>
  /** Requests with a Gateway-Deadline that has passed. */
  expired(subject: string, bytes: Uint8Array, timeoutMs: number): Promise<Uint8Array>
  /** Publishes a message; `deadline` is the header Gateway-Deadline in Unix milliseconds. */
  publish(subject: string, bytes: Uint8Array, deadline?: number): void
  /** Waits for a PONG after all published messages, also across a disconnection. */
  flush(): Promise<void>
  /** The server's max_payload in bytes. */
  readonly maxPayload: number | undefined
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export async function connectBusClient(bus: BusAddress): Promise<BusClient> {
  const connection = await connect({
    servers: bus.address,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 20,
    reconnectJitter: 10,
    ...(bus.token === undefined ? {} : { token: bus.token }),
    ...(bus.user === undefined ? {} : { user: bus.user.name, pass: bus.user.password }),
  })
  const close = (): Promise<void> => connection.close()
  return {
    subscribe: async (subject, take, queue) => {
      const subscription = connection.subscribe(subject, {
        ...(queue === undefined ? {} : { queue }),
        callback: (error, message) => {
          if (error !== null) return
          const messageId = message.headers?.get('Nats-Msg-Id')
          take({
            subject: message.subject,
            bytes: message.data,
            messageId: messageId === '' ? undefined : messageId,
            deadline: message.headers?.get('Gateway-Deadline') || undefined,
            router: message.headers?.get('Gateway-Router') || undefined,
            wantsReply: message.reply !== undefined && message.reply !== '',
            reply: (bytes) => message.respond(bytes),
          })
        },
      })
      await connection.flush()
      return () => subscription.unsubscribe()
    },
    request: async (subject, bytes, timeoutMs = 30_000) => {
      return (await connection.request(subject, bytes, { timeout: timeoutMs })).data
    },
    ask: async (subject, bytes, timeoutMs) => {
      const options = { timeout: timeoutMs, headers: deadlineHeader(Date.now() + timeoutMs) }
      return (await connection.request(subject, bytes, options)).data
    },
    askFor: async (router, subject, bytes, timeoutMs) => {
      const header = deadlineHeader(Date.now() + timeoutMs)
      header.set('Gateway-Router', router)
      return (await connection.request(subject, bytes, { timeout: timeoutMs, headers: header })).data
    },
    expired: async (subject, bytes, timeoutMs) => {
      const options = { timeout: timeoutMs, headers: deadlineHeader(Date.now() - 60_000) }
      return (await connection.request(subject, bytes, options)).data
    },
    publish: (subject, bytes, deadline) =>
      connection.publish(subject, bytes, deadline === undefined ? {} : { headers: deadlineHeader(deadline) }),
    flush: () => flushWithin(connection),
    get maxPayload() {
      return connection.info?.max_payload
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function deadlineHeader(deadline: number): ReturnType<typeof headers> {
  const header = headers()
  header.set('Gateway-Deadline', String(deadline))
  return header
}

async function flushWithin(connection: NatsConnection, timeoutMs = 60_000): Promise<void> {
  const end = performance.now() + timeoutMs
  for (;;) {
    try {
      return await connection.flush()
    } catch (error) {
      if (performance.now() > end) throw error
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
}
