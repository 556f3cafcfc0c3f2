import type { BusClient } from '../fake/bus-client.ts'

/** Takes and acknowledges what a durable consumer of the records has, as a sink does. */
export type StreamReader = {
  /** From now on nothing is taken. */
  stop(): void
}

/** Where the bus delivers what this consumer has. */
export function deliverySubject(consumer: string): string {
  return `readers.${consumer}`
}

export async function startStreamReader(client: BusClient, consumer: string): Promise<StreamReader> {
  const stop = await client.subscribe(deliverySubject(consumer), (message) => message.reply(Buffer.from('+ACK')))
  return { stop }
}
