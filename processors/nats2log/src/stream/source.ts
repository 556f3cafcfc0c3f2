import type { SinkRecord } from '../targets/writer.ts'

/** The size of a batch, and how long its first record waits for others. */
export type BatchLimits = { readonly records: number; readonly bytes: number; readonly ms: number }

/** A source of records. */
export type Source = {
  /** Returns the next records, at least one; undefined at the end. */
  take(): Promise<readonly SinkRecord[] | undefined>
  /** Marks a record as done; the bus doesn't deliver it again. */
  settle(record: SinkRecord): void
}

/** The bytes that a source may hold: with the records being written, 64 MiB (ARCHITECTURE.md, sinks). */
export const SOURCE_BYTES = 32 * 1024 * 1024
