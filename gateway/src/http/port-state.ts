import type { TurnQueue } from '../work/turn-queue.ts'
import type { ReadLimiter } from './read-limiter.ts'
import type { TurnQuota } from './turn-quota.ts'

/** The state that the connections of a port share. */
export type PortState = {
  /** The number of requests on all connections that wait for the answer before theirs. */
  waiting: number
  draining: boolean
  /** The milliseconds for which the rest of a refused body is read behind its answer. */
  readonly lingerMs: number
  readonly readLimiter: ReadLimiter
  /** The pipelined calls that may begin in one turn of the event loop. */
  readonly begins: TurnQuota
  /** Cancels the calls of callers that left. */
  readonly cancels: TurnQueue
}
