import type { SinkMemory } from './sink-memory.ts'

/** A record as it came from the bus. */
export type SinkRecord = {
  readonly bytes: Uint8Array
  /**
   * The Nats-Msg-Id, else the place in the stream; a target tells repeats by it
   * (docs/reference/kept-records.md#message-ids). Absent: the bus keeps nothing.
   */
  readonly id?: string
  /** Its place in the stream. */
  readonly sequence?: number
}

/** Why a record isn't safe. */
export type Failure = {
  /** A constant: a system error's code, `HTTP_503`. */
  readonly code: string
  /** Whether another try may succeed. */
  readonly again: boolean
}

/** How one try ended: the records that failed, in the order they were given; all others are safe. */
export type Attempt = {
  readonly failed: readonly (Failure & { readonly record: SinkRecord })[]
  /** How long the target asks to be left alone, milliseconds. */
  readonly retryAfterMs?: number
}

/** Where records go. */
export type Writer = {
  /** How much one try takes; a single record may be larger. */
  readonly batch: { readonly records: number; readonly bytes: number }
  /** Tries at the same time; 1 keeps the order. */
  readonly concurrency: number
  /** Where the target keeps what the sink must know after a restart. */
  readonly memory?: SinkMemory
  /** Gets ready to write; the code of what is in the way, which later tries may find gone. */
  open(): Promise<string | undefined>
  /** One try. Never rejects. */
  write(records: readonly SinkRecord[]): Promise<Attempt>
  close(): Promise<void>
}

export const DELIVERED: Attempt = { failed: [] }

/** A try that ended the same for all of these. */
export function allFailed(records: readonly SinkRecord[], { code, again }: Failure): Attempt {
  return { failed: records.map((record) => ({ record, code, again })) }
}
