import type { UpstreamCode } from '../errors.ts'
import type { InboundBody } from '../upstream/inbound-body.ts'
import type { WorkQueue } from '../work/work-queue.ts'
import type { AnswerIntake } from './read-answer.ts'

export type Collected =
  | { readonly kind: 'whole' }
  | { readonly kind: 'failed'; readonly code: UpstreamCode | 'OVERLOADED' }

/** Reads a whole body into its intake; what the intake doesn't keep whole fails, and ends the call upstream. */
export function collectAnswer(body: InboundBody, intake: AnswerIntake, work: WorkQueue): Promise<Collected> {
  return new Promise((resolve) => {
    body.attach({
      chunk(bytes) {
        const keepsUp = intake.add(bytes)
        const { problem } = intake
        if (problem !== undefined) {
          resolve({ kind: 'failed', code: problem })
          body.abort()
          return false
        }
        if (!keepsUp) work.add(() => body.resume())
        return keepsUp
      },
      end: () => resolve({ kind: 'whole' }),
      failed: (code) => resolve({ kind: 'failed', code }),
    })
  })
}
