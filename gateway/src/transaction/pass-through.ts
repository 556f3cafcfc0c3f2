import type { UpstreamCode } from '../errors.ts'
import type { Reply } from '../http/reply.ts'
import type { CallMemory } from '../memory/memory-account.ts'
import type { InboundBody } from '../upstream/inbound-body.ts'
import type { CancelSignal } from '../upstream/upstream.ts'
import type { WorkQueue } from '../work/work-queue.ts'
import type { AnswerIntake } from './answer-intake.ts'

/** The outcome of passing a body to the caller. */
export type PassOutcome =
  /** `last`: the last piece, which was held back. */
  | { readonly kind: 'complete'; readonly last?: Uint8Array | undefined }
  | { readonly kind: 'broken'; readonly code: UpstreamCode }
  | { readonly kind: 'caller gone' }

export type PassOptions = {
  readonly intake: Pick<AnswerIntake, 'add' | 'problem'>
  readonly memory: CallMemory
  /** The caller of `passThrough` ends the answer, and also sends the last piece where the length is known. */
  readonly holdsEnd: boolean
  readonly hasLength: boolean
  readonly work: WorkQueue
  readonly signal: CancelSignal
  /** The time in milliseconds that a caller may leave its answer unread. */
  readonly stallTimeoutMs: number
}

/** The most bytes that a connection reads at once: a call without room for them waits for its caller. */
const READ_BYTES = 64 * 1024

/**
 * Passes the answer's body to the caller as it arrives and shows each piece to the intake. The body pauses while the
 * caller reads slowly, and while the intake is over its share of the main thread. The bytes that wait for the caller are
 * counted. Where the memory account has no room, the body goes on once the caller has taken the last piece. A caller that
 * reads nothing for `stallTimeoutMs` is cut off, and the call upstream ends. `reply` already has its head.
 */
export function passThrough(body: InboundBody, reply: Reply, options: PassOptions): Promise<PassOutcome> {
  return new Promise((resolve) => {
    let settled = false
    let written = false
    let awaited: 'drain' | 'taken' | undefined
    let counted = 0
    let behind = false
    let stall: NodeJS.Timeout | undefined
    let held: Uint8Array | undefined
    const holdsPieces = options.holdsEnd && options.hasLength
    options.signal.onCancel(() => settle({ kind: 'caller gone' }))
    reply.onDrain(() => noteRead('drain'))
    body.attach({
      chunk(bytes) {
        written = true
        const next = holdsPieces ? held : bytes
        if (holdsPieces) held = bytes
        if (next !== undefined) write(next)
        if (!options.intake.add(bytes)) {
          behind = true
          options.work.add(catchUp)
        }
        if (awaited !== undefined) countUnread()
        return awaited === undefined && !behind
      },
      end() {
        if (!options.holdsEnd) reply.end(undefined)
        settle({ kind: 'complete', last: held })
      },
      failed(code) {
        reply.destroy()
        // The gateway ends the call upstream when the caller leaves; the LLM API isn't at fault then.
        settle(options.signal.cancelled ? { kind: 'caller gone' } : { kind: 'broken', code })
      },
    })
    if (!written && !settled) reply.flushHead()

    function write(piece: Uint8Array): void {
      if (options.memory.hasRoom(READ_BYTES)) {
        if (reply.write(piece)) return
        awaited = 'drain'
      } else {
        reply.writeAlone(piece, () => noteRead('taken'))
        awaited = 'taken'
      }
      clearInterval(stall)
      stall = reply.watchStall(options.stallTimeoutMs, giveUp)
    }

    /**
     * Counts the bytes that wait for the caller, unless the record's copy counts the same bytes. Without room, one piece
     * stays uncounted: above its limit the account would refuse the calls of other routers.
     */
    function countUnread(): void {
      options.memory.release(counted)
      const bytes = options.intake.problem === undefined ? 0 : reply.unsentBytes + (held?.length ?? 0)
      counted = options.memory.hasRoom(bytes) ? bytes : 0
      options.memory.add(counted)
    }

    function noteRead(by: 'drain' | 'taken'): void {
      // `finish` sets the memory of a settled call.
      if (awaited !== by || settled) return
      clearInterval(stall)
      awaited = undefined
      options.memory.release(counted)
      counted = 0
      goOn()
    }

    function catchUp(): void {
      behind = false
      goOn()
    }

    function goOn(): void {
      if (awaited === undefined && !behind && !settled) body.resume()
    }

    function giveUp(): void {
      settle({ kind: 'caller gone' })
      reply.destroy()
      body.abort()
    }

    function settle(outcome: PassOutcome): void {
      if (settled) return
      settled = true
      clearInterval(stall)
      resolve(outcome)
    }
  })
}
