import { type BusAddress, connectBusClient } from './bus-client.ts'
import { Journal } from './journal.ts'

type Fields = Readonly<Record<string, unknown>>

export type SeenMessage = {
  readonly bytes: Uint8Array
  readonly text: string
  /** The parsed fields; empty if the message isn't a JSON object. */
  readonly fields: Fields
}

/** A reply: fields, raw bytes (also invalid bytes), `undefined` for an empty reply, or NO_REPLY. */
export type ProcessorReply = Fields | Uint8Array | string | undefined | typeof NO_REPLY
export const NO_REPLY = Symbol('silence')

export type Processor = {
  readonly subject: string
  readonly messages: Journal<SeenMessage>
  /** Sets the replies from now on. */
  reply(reply: (message: SeenMessage) => ProcessorReply | Promise<ProcessorReply>): void
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a processor without our SDK: a queue subscriber that records its messages and sends the replies of the test
 * (default: empty).
 */
export async function startProcessor(
  bus: BusAddress,
  subject: string,
  reply: (message: SeenMessage) => ProcessorReply | Promise<ProcessorReply> = () => undefined,
): Promise<Processor> {
  const messages = new Journal<SeenMessage>(5_000)
  const client = await connectBusClient(bus)
  let respond = reply
  await client.subscribe(
    subject,
    async (message) => {
      const seen = readMessage(message.bytes)
      messages.add(seen)
      const answer = await respond(seen)
      if (answer !== NO_REPLY && message.wantsReply) message.reply(encodeReply(answer))
    },
    subject,
  )
  return {
    subject,
    messages,
    reply: (next) => {
      respond = next
    },
    close: client.close,
    [Symbol.asyncDispose]: client.close,
  }
}

export function readMessage(bytes: Uint8Array): SeenMessage {
  const text = Buffer.from(bytes).toString()
  return {
    bytes,
    text,
    get fields() {
      const value: unknown = JSON.parse(text)
      return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
    },
  }
}

export function encodeReply(reply: Exclude<ProcessorReply, typeof NO_REPLY>): Uint8Array {
  if (reply === undefined) return new Uint8Array()
  if (reply instanceof Uint8Array) return reply
  return Buffer.from(typeof reply === 'string' ? reply : JSON.stringify(reply))
}
