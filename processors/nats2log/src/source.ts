import type { SinkRecord } from './writer.ts'

/** How many records are taken at once, and how long the first of them waits for others. */
export type BatchLimits = { readonly records: number; readonly bytes: number; readonly ms: number }

/** Where records come from. */
export type Source = {
  /** The next records, at least one; undefined once there will be no more. */
  take(): Promise<readonly SinkRecord[] | undefined>
  /** The record needs to be given to nobody any more. */
  settle(record: SinkRecord): void
}

/** What a source must hold to itself: together with what is being written, 64 MiB (ARCHITECTURE.md, sinks). */
export const SOURCE_BYTES = 32 * 1024 * 1024
