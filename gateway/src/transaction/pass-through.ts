import type { UpstreamCode } from '../errors.ts'
import type { Reply } from '../http/reply.ts'
import type { InboundBody } from '../upstream/inbound-body.ts'
import type { CancelSignal } from '../upstream/upstream.ts'
import type { WorkQueue } from '../work/work-queue.ts'
import type { AnswerIntake } from './read-answer.ts'

/** How a body's passage ended. */
export type Passage =
  | { readonly kind: 'complete' }
  | { readonly kind: 'broken'; readonly code: UpstreamCode }
  | { readonly kind: 'caller gone' }

export type PassageOptions = {
  readonly intake: Pick<AnswerIntake, 'add'>
  readonly work: WorkQueue
  readonly signal: CancelSignal
  /** Milliseconds a caller may leave its answer unread. */
  readonly stallTimeoutMs: number
}

/**
 * Hands the answer's body to the caller as it arrives; the record's intake sees each piece. A slow caller slows the LLM API,
 * and so does an intake that needs more of the main thread than its share;
 * one that reads nothing at all is given up; one that leaves ends the call upstream. `reply` already has its head.
 */
export function passThrough(body: InboundBody, reply: Reply, options: PassageOptions): Promise<Passage> {
  return new Promise((resolve) => {
    let settled = false
    let written = false
    let unread = false
    let behind = false
    let stall: NodeJS.Timeout | undefined
    options.signal.onCancel(() => settle({ kind: 'caller gone' }))
    reply.onDrain(() => {
      clearTimeout(stall)
      unread = false
      goOn()
    })
    body.attach({
      chunk(bytes) {
        written = true
        if (!reply.write(bytes)) {
          unread = true
          clearTimeout(stall)
          stall = setTimeout(giveUp, options.stallTimeoutMs)
        }
        if (!options.intake.add(bytes)) {
          behind = true
          options.work.add(catchUp)
        }
        return !unread && !behind
      },
      end() {
        reply.end(undefined)
        settle({ kind: 'complete' })
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

    function settle(passage: Passage): void {
      if (settled) return
      settled = true
      clearTimeout(stall)
      resolve(passage)
    }
  })
}
