import { type BusAddress, connectBusClient } from './bus-client.ts'

/** A record in the bus's stream. */
export type StoredRecord = { readonly sequence: number; readonly messageId: string | undefined; readonly text: string }

/** The stream of records on a bus, read by its administrator. */
export type RecordStream = {
  readonly stream: string
  /** Returns `config` and `state` of the stream; undefined if there is no stream. */
  info(): Promise<StreamInfo | undefined>
  /** Returns all records in order. */
  read(): Promise<readonly StoredRecord[]>
  /**
   * Shows each record in order, from a sequence on (default 1), without keeping them. Records that are stored meanwhile
   * are shown too: reading large records takes long.
   */
  each(show: (record: StoredRecord) => unknown, from?: number): Promise<void>
  /** Waits until the stream holds `count` records. */
  waitForCount(count: number, timeoutMs?: number): Promise<void>
  request(verb: string, body?: object): Promise<Answer>
  [Symbol.asyncDispose](): Promise<void>
}

type Answer = Readonly<Record<string, unknown>>
export type StreamInfo = {
  readonly config: Answer
  readonly state: { readonly messages: number; readonly last_seq: number }
}

/** Number of messages that are requested at once. */
const AT_ONCE = 100

export async function openRecordStream(bus: BusAddress, stream = 'records_llm'): Promise<RecordStream> {
  const client = await connectBusClient(bus)
  const request = async (verb: string, body?: object): Promise<Answer> => {
    const text = body === undefined ? '' : JSON.stringify(body)
    const answer = await client.request(`$JS.API.STREAM.${verb}.${stream}`, Buffer.from(text))
    return JSON.parse(Buffer.from(answer).toString())
  }
  const info = async (): Promise<StreamInfo | undefined> => {
    const { config, state } = await request('INFO').catch((): Answer => ({}))
    const { messages, last_seq } = Object(state)
    return config === undefined ? undefined : { config: Object(config), state: { messages, last_seq } }
  }
  const at = async (sequence: number): Promise<StoredRecord | undefined> => {
    const message: { readonly hdrs?: string; readonly data?: string } | undefined = Object(
      (await request('MSG.GET', { seq: sequence })).message,
    )
    if (message?.hdrs === undefined) return undefined
    const headers = Buffer.from(message.hdrs, 'base64').toString()
    const messageId = /^Nats-Msg-Id: (.+)\r$/m.exec(headers)?.[1]
    return { sequence, messageId, text: Buffer.from(message.data ?? '', 'base64').toString() }
  }
  const each: RecordStream['each'] = async (show, from = 1) => {
    for (let first = from; ; ) {
      const last = (await info())?.state.last_seq ?? 0
      if (first > last) return
      const some = Array.from({ length: Math.min(AT_ONCE, last - first + 1) }, (_, index) => at(first + index))
      for (const record of await Promise.all(some)) if (record !== undefined) await show(record)
      first += some.length
    }
  }
  return {
    stream,
    info,
    request,
    each,
    read: async () => {
      const records: StoredRecord[] = []
      await each((record) => records.push(record))
      return records
    },
    waitForCount: async (count, timeoutMs = 60_000) => {
      const end = performance.now() + timeoutMs
      for (;;) {
        const messages = (await info())?.state.messages ?? 0
        if (messages >= count) return
        if (performance.now() > end) throw new Error(`${messages} records of ${count} within ${timeoutMs} ms`)
        // The bus has no event for a stored record, so its state is polled.
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}
