import { createInbox, ErrorCode, Events, headers, type Msg, type NatsConnection } from 'nats'
import { errorCode } from './error-code.ts'
import type { KeyValue, KeyValueOptions } from './key-value.ts'
import { type KeyValueLink, type LinkMessage, type LinkReply, OPERATION_TIMEOUT_MS } from './key-value-link.ts'
import { KeyValueStore } from './key-value-store.ts'
import type { Logger } from './logger.ts'

/** Opens a bucket of the bus's JetStream; the connection may come and go, and the bus may have no JetStream at all. */
export function openNatsKeyValue(connection: NatsConnection, options: KeyValueOptions, logger: Logger): KeyValue {
  return new KeyValueStore({ link: new NatsLink(connection), options, logger, random: Math.random })
}

class NatsLink implements KeyValueLink {
  readonly #connection: NatsConnection
  readonly #followers = new Set<(state: 'lost' | 'back' | 'gone') => void>()
  /** Those that wait for an answer: when the connection is lost none will come. Each at most OPERATION_TIMEOUT_MS. */
  readonly #waiting = new Set<() => void>()
  #connected: boolean

  constructor(connection: NatsConnection) {
    this.#connection = connection
    this.#connected = !connection.isClosed()
    // Ends with the connection and has no failure of its own.
    void this.#followStatus()
  }

  get connected(): boolean {
    return this.#connected
  }

  async request(subject: string, bytes: Uint8Array, fields: Readonly<Record<string, string>> = {}): Promise<LinkReply> {
    // The library would keep what is asked meanwhile and send it late.
    if (!this.#connected) return { kind: 'failed' }
    const { promise, resolve } = Promise.withResolvers<LinkReply>()
    const lost = (): void => resolve({ kind: 'failed' })
    this.#waiting.add(lost)
    // Never rejects.
    void this.#request(subject, bytes, fields).then(resolve)
    const reply = await promise
    this.#waiting.delete(lost)
    return reply
  }

  async #request(subject: string, bytes: Uint8Array, fields: Readonly<Record<string, string>>): Promise<LinkReply> {
    try {
      const timeout = OPERATION_TIMEOUT_MS
      return {
        kind: 'message',
        message: linkMessage(await this.#connection.request(subject, bytes, { timeout, ...headerOption(fields) })),
      }
    } catch (error) {
      return failedReply(error)
    }
  }

  inbox(receive: (message: LinkMessage) => void): ReturnType<KeyValueLink['inbox']> {
    const connection = this.#connection
    if (connection.isClosed()) return { ask: () => undefined, close: () => undefined }
    const reply = createInbox()
    const subscription = connection.subscribe(reply, {
      callback: (error, message) => {
        if (error === null) receive(linkMessage(message))
      },
    })
    return {
      ask: (subject, bytes) => {
        if (!connection.isClosed()) connection.publish(subject, bytes, { reply })
      },
      close: () => subscription.unsubscribe(),
    }
  }

  follow(changed: (state: 'lost' | 'back' | 'gone') => void): void {
    this.#followers.add(changed)
  }

  async #followStatus(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === Events.Disconnect) this.#change(false, 'lost')
      if (type === Events.Reconnect) this.#change(true, 'back')
    }
    await this.#connection.closed()
    this.#change(false, 'gone')
  }

  #change(connected: boolean, state: 'lost' | 'back' | 'gone'): void {
    this.#connected = connected
    for (const lost of this.#waiting) lost()
    for (const changed of this.#followers) changed(state)
  }
}

function headerOption(fields: Readonly<Record<string, string>>): { headers?: ReturnType<typeof headers> } {
  const entries = Object.entries(fields)
  if (entries.length === 0) return {}
  const map = headers()
  for (const [name, value] of entries) map.set(name, value)
  return { headers: map }
}

function linkMessage(message: Msg): LinkMessage {
  return {
    subject: message.subject,
    reply: message.reply ?? '',
    bytes: message.data,
    status: message.headers?.code ?? 0,
    header: (name) => (message.headers?.has(name) === true ? message.headers.get(name) : undefined),
  }
}

function failedReply(error: unknown): LinkReply {
  switch (errorCode(error)) {
    case ErrorCode.NoResponders:
      return { kind: 'nobody' }
    case ErrorCode.MaxPayloadExceeded:
      return { kind: 'too large' }
    default:
      return { kind: 'failed' }
  }
}
