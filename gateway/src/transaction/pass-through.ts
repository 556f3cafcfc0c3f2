import type { UpstreamCode } from '../errors.ts'
import type { Reply } from '../http/reply.ts'
import type { InboundBody } from '../upstream/inbound-body.ts'
import type { CancelSignal } from '../upstream/upstream.ts'
import type { WorkQueue } from '../work/work-queue.ts'
import type { AnswerIntake } from './read-answer.ts'

/** How the passing of a body ended. */
export type PassOutcome =
  /** `last`: what was held back of the body. */
  | { readonly kind: 'complete'; readonly last?: Uint8Array | undefined }
  | { readonly kind: 'broken'; readonly code: UpstreamCode }
  | { readonly kind: 'caller gone' }

export type PassOptions = {
  readonly intake: Pick<AnswerIntake, 'add'>
  /** The answer's end, and where its length is known its last piece, are left to the caller of this. */
  readonly holdsEnd: boolean
  readonly hasLength: boolean
  readonly work: WorkQueue
  readonly signal: CancelSignal
  /** Milliseconds a caller may leave its answer unread. */
  readonly stallTimeoutMs: number
}

/**
 * Hands the answer's body to the caller as it arrives; the record's intake sees each piece. A slow caller slows the LLM API,
 * and so does an intake that needs more of the main thread than its share. A caller that takes nothing for a while is given
 * up; one that leaves ends the call upstream. `reply` already has its head.
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
        // The call upstream is ended for a caller that left: that is no fault of the LLM API's.
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
