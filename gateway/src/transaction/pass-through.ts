import type { UpstreamCode } from '../errors.ts'
import type { Reply } from '../http/reply.ts'
import type { BodyCopy } from '../upstream/collect-body.ts'
import type { InboundBody } from '../upstream/inbound-body.ts'
import type { CancelSignal } from '../upstream/upstream.ts'

/** How a body's passage ended. */
export type Passage =
  | { readonly kind: 'complete' }
  | { readonly kind: 'broken'; readonly code: UpstreamCode }
  | { readonly kind: 'caller gone' }

export type PassageOptions = {
  readonly copy: BodyCopy
  readonly signal: CancelSignal
  /** Milliseconds a caller may leave its answer unread. */
  readonly stallTimeoutMs: number
}

/**
 * Hands the answer's body to the caller as it arrives, keeping a copy for the record. A slow caller slows the LLM API;
 * one that takes nothing for a while is given up; one that leaves ends the call upstream. `reply` already has its head.
 */
export function passThrough(body: InboundBody, reply: Reply, options: PassageOptions): Promise<Passage> {
  return new Promise((resolve) => {
    let settled = false
    let written = false
    let stall: NodeJS.Timeout | undefined
    options.signal.onCancel(() => settle({ kind: 'caller gone' }))
    reply.onDrain(() => {
      clearInterval(stall)
      body.resume()
    })
    body.attach({
      chunk(bytes) {
        options.copy.add(bytes)
        written = true
        if (reply.write(bytes)) return true
        clearInterval(stall)
        stall = reply.watchStall(options.stallTimeoutMs, giveUp)
        return false
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

    function giveUp(): void {
      settle({ kind: 'caller gone' })
      reply.destroy()
      body.abort()
    }

    function settle(passage: Passage): void {
      if (settled) return
      settled = true
      clearInterval(stall)
      resolve(passage)
    }
  })
}
