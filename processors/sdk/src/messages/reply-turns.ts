import { setImmediate as nextTurn } from 'node:timers/promises'
import { FlowLines } from './flow-lines.ts'

/** A reply that waits for its turn. */
export type PlannedReply = {
  readonly bytes: number
  /** The flow to which the reply belongs: the router of its message. */
  readonly flow: string
  /** The time of `performance.now()` after which no caller waits for the reply. */
  readonly deadline: number
}

export type ReplyTurns = {
  /**
   * Returns true when the reply may leave at once. A promise tells later: true in the reply's turn, false when its
   * deadline has passed.
   */
  enter(reply: PlannedReply): true | Promise<boolean>
}

type Waiting = PlannedReply & { readonly leave: (isInTime: boolean) => void }

const KIB = 1024
const MIB = 1024 * KIB
/** The bytes that leave in one turn of the event loop; joining and sending them takes some 2 ms. */
const TURN_BYTES = MIB
/** The cost of a reply beside its bytes, as bytes: at most 256 replies leave in one turn. */
const LEAST_BYTES = 4 * KIB
/** The bytes that the bus may not have read yet. The client of the bus keeps them all in memory. */
const UNREAD_BYTES = 16 * MIB

/**
 * Limits the bytes of replies in one turn of the event loop and on their way to the bus. A single reply may be larger.
 * Flows take turns, so the large replies of one router delay those of another by one reply.
 */
export function createReplyTurns(flushed: () => Promise<unknown>): ReplyTurns {
  const lines = new FlowLines<Waiting>()
  let left = TURN_BYTES
  let unread = 0
  let running = false

  const spend = (bytes: number): void => {
    left -= Math.max(bytes, LEAST_BYTES)
    unread += bytes
  }
  const fillTurn = (): void => {
    while (left > 0) {
      const next = lines.take()
      if (next === undefined) return
      const isInTime = next.deadline > performance.now()
      if (isInTime) spend(next.bytes)
      next.leave(isInTime)
    }
  }
  /** Gives out turns until one of them stays empty. */
  const run = async (): Promise<void> => {
    running = true
    while (left < TURN_BYTES) {
      await nextTurn()
      if (unread > UNREAD_BYTES) {
        await flushed()
        unread = 0
      }
      left = TURN_BYTES
      fillTurn()
    }
    running = false
  }

  return {
    enter: (reply) => {
      if (lines.isEmpty && left > 0) {
        spend(reply.bytes)
        // `flushed` never rejects, so `run` never rejects either.
        if (!running) void run()
        return true
      }
      return new Promise((leave) => lines.add(reply.flow, { ...reply, leave }))
    },
  }
}
