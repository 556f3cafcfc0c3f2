import type { SinkRecord } from '../targets/writer.ts'

/** The size of a batch, and how long its first record waits for others. */
export type BatchLimits = { readonly records: number; readonly bytes: number; readonly ms: number }

/** A source of records. */
export type Source = {
  /** Returns the next records, at least one; undefined at the end. */
  take(): Promise<readonly SinkRecord[] | undefined>
  /** Marks a record as done; the bus doesn't deliver it again. */
  settle(record: SinkRecord): void
  /** Gives a record back; `take` returns it again after `delayMs`, and others meanwhile. */
  postpone(record: SinkRecord, delayMs: number): void
}

/** The bytes of one request for records. A source that holds more than this asks for none, so it holds at most twice this. */
export const SOURCE_BYTES = 32 * 1024 * 1024
