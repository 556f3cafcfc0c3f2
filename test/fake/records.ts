import { compileJsonPath, DEFAULT_BUS_PREFIX, type LogRecord, loggerSubject } from '@llm-gateway/protocol'
import { type BusAddress, connectBusClient } from './bus-client.ts'
import { Journal, type WaitOptions } from './journal.ts'

/** A record as it came from the bus. */
export type SeenRecord = {
  readonly messageId: string | undefined
  readonly bytes: Uint8Array
  readonly text: string
  readonly record: LogRecord
  /** Returns a field by its JSON path, as `request.character_count` or `response.egress_payload.choices[0]`. */
  field(path: string): unknown
}

export type Records = {
  /** All records with repeats; `distinct()` leaves these out. */
  readonly journal: Journal<SeenRecord>
  /** Returns one record for each Nats-Msg-Id, in order of arrival. */
  distinct(): readonly SeenRecord[]
  waitFor(matches: (record: SeenRecord) => boolean, options?: WaitOptions): Promise<SeenRecord>
  waitForCount(count: number, options?: WaitOptions): Promise<readonly SeenRecord[]>
  clear(): void
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Collects the records of a gateway. The collector is subscribed when the promise resolves. */
export async function collectRecords(
  bus: BusAddress,
  options: { readonly subject?: string; readonly capacity?: number } = {},
): Promise<Records> {
  const journal = new Journal<SeenRecord>(options.capacity ?? 10_000)
  const client = await connectBusClient(bus)
  await client.subscribe(options.subject ?? loggerSubject(DEFAULT_BUS_PREFIX), ({ bytes, messageId }) => {
    journal.add(new ParsedRecord(bytes, messageId))
  })
  return {
    journal,
    distinct: () => {
      const seen = new Set<string | undefined>()
      return journal.entries.filter(({ messageId }) => {
        const repeat = messageId !== undefined && seen.has(messageId)
        seen.add(messageId)
        return !repeat
      })
    },
    waitFor: (matches, wait) => journal.waitFor(matches, { what: 'a record', ...wait }),
    waitForCount: (count, wait) => journal.waitForCount(count, { what: `${count} records`, ...wait }),
    clear: () => journal.clear(),
    close: client.close,
    [Symbol.asyncDispose]: client.close,
  }
}

class ParsedRecord implements SeenRecord {
  readonly bytes: Uint8Array
  readonly messageId: string | undefined
  #record: LogRecord | undefined

  constructor(bytes: Uint8Array, messageId: string | undefined) {
    this.bytes = bytes
    this.messageId = messageId
  }

  get text(): string {
    return Buffer.from(this.bytes).toString()
  }

  /** Parsed at the first use: a test of a million records reads only few. */
  get record(): LogRecord {
    this.#record ??= JSON.parse(this.text)
    if (this.#record === undefined) throw new Error('a record is a JSON object')
    return this.#record
  }

  field(path: string): unknown {
    return compileJsonPath(path)(this.record)
  }
}
