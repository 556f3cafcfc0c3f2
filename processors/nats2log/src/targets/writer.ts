import type { CheckpointStore } from '../checkpoints/checkpoint-store.ts'

/** A record from the bus. */
export type SinkRecord = {
  readonly bytes: Uint8Array
  /**
   * The Nats-Msg-Id, else the place in the stream; a target recognizes repeats by it
   * (docs/reference/kept-records.md#message-ids). Absent: the bus keeps nothing.
   */
  readonly id?: string
  /** The place in the stream, and the time at which the stream stored the record, in milliseconds since the epoch. */
  readonly sequence?: number
  readonly storedMs?: number
  /** The record before a filter removed fields: the same object in each try. Absent: this one. */
  readonly whole?: SinkRecord
}

/** The reason why a record wasn't written. */
export type Failure = {
  /** A constant: a system error's code, `HTTP_503`. */
  readonly code: string
  /** True: another try may succeed. */
  readonly again: boolean
  /** True: the failure may concern this record alone, although the writer is `inOrder`; later records don't wait. */
  readonly alone?: boolean
}

/** The result of one try: the failed records in the order given; all others are written. */
export type Attempt = {
  readonly failed: readonly (Failure & { readonly record: SinkRecord })[]
  /** True: each record failed by itself, whatever records were beside it. */
  readonly apart?: boolean
  /** The wait that the target asks for, in milliseconds. */
  readonly retryAfterMs?: number
}

/** A target for records. */
export type Writer = {
  /** The largest batch of one try; a single record may be larger. */
  readonly batch: { readonly records: number; readonly bytes: number }
  /** The number of tries at the same time. */
  readonly concurrency: number
  /**
   * True: a failure with `again` concerns all records unless it is `alone`, so failed records are tried again in their
   * order, and later ones wait.
   */
  readonly inOrder?: boolean
  /** The checkpoints, where the target keeps them itself. */
  readonly checkpoints?: CheckpointStore
  /** Prepares the target; returns the code of a failure, which later tries may overcome. */
  open(): Promise<string | undefined>
  /** Tries once. Never rejects. */
  write(records: readonly SinkRecord[]): Promise<Attempt>
  close(): Promise<void>
}

export const DELIVERED: Attempt = { failed: [] }

/** Returns an attempt in which all records failed in the same way. */
export function allFailed(records: readonly SinkRecord[], { code, again }: Failure): Attempt {
  return { failed: records.map((record) => ({ record, code, again })) }
}
