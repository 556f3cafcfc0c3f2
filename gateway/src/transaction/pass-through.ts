import type { UpstreamCode } from '../errors.ts'
import type { Reply } from '../http/reply.ts'
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
  readonly intake: Pick<AnswerIntake, 'add'>
  /** The caller of `passThrough` ends the answer, and also sends the last piece where the length is known. */
  readonly holdsEnd: boolean
  readonly hasLength: boolean
  readonly work: WorkQueue
  readonly signal: CancelSignal
  /** The time in milliseconds that a caller may leave its answer unread. */
  readonly stallTimeoutMs: number
}

/**
 * Passes the answer's body to the caller as it arrives and shows each piece to the intake. The body pauses while the
 * caller reads slowly, and while the intake is over its share of the main thread. A caller that reads nothing for
 * `stallTimeoutMs` is cut off, and the call upstream ends. `reply` already has its head.
 */
export function passThrough(body: InboundBody, reply: Reply, options: PassOptions): Promise<PassOutcome> {
  return new Promise((resolve) => {
    let settled = false
    let written = false
    let unread = false
    let behind = false
    let stall: NodeJS.Timeout | undefined
    let held: Uint8Array | undefined
    const holdsPieces = options.holdsEnd && options.hasLength
    options.signal.onCancel(() => settle({ kind: 'caller gone' }))
    reply.onDrain(() => {
      clearInterval(stall)
      unread = false
      goOn()
    })
    body.attach({
      chunk(bytes) {
        written = true
        const next = holdsPieces ? held : bytes
        if (holdsPieces) held = bytes
        if (next !== undefined && !reply.write(next)) {
          unread = true
          clearInterval(stall)
          stall = reply.watchStall(options.stallTimeoutMs, giveUp)
        }
        if (!options.intake.add(bytes)) {
          behind = true
          options.work.add(catchUp)
        }
        return !unread && !behind
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

    function catchUp(): void {
      behind = false
      goOn()
    }

    function goOn(): void {
      if (!unread && !behind && !settled) body.resume()
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
