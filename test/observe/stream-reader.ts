import type { BusClient } from '../fake/bus-client.ts'

/** Takes what a durable consumer of the records has, as a sink does. */
export type StreamReader = {
  /** From now on nothing is taken. */
  pause(): void
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const ASK_MS = 200

export function startStreamReader(client: BusClient, consumer: string): StreamReader {
  let runs = true
  const run = async (): Promise<void> => {
    while (runs) {
      const subject = `$JS.API.CONSUMER.MSG.NEXT.records_llm.${consumer}`
      // None there within the time is no failure.
      await client.request(subject, Buffer.from(JSON.stringify({ batch: 1 })), ASK_MS).catch(() => undefined)
    }
  }
  const running = run()
  const pause = (): void => {
    runs = false
  }
  const close = async (): Promise<void> => {
    pause()
    await running
  }
  return { pause, close, [Symbol.asyncDispose]: close }
}
