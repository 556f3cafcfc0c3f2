import type { CallMemory } from '../memory/memory-account.ts'
import { withoutRest } from '../memory/without-rest.ts'
import type { BodyFailure, InboundBody } from '../upstream/inbound-body.ts'
import type { WorkQueue } from '../work/work-queue.ts'
import type { AnswerIntake } from './answer-intake.ts'

export type CollectResult = { readonly kind: 'whole' } | { readonly kind: 'failed'; readonly code: BodyFailure }

/** The time that an answer waits for room in the gateway's memory, and the interval between two checks. */
const ROOM_MS = 5_000
const CHECK_MS = 20

/**
 * Reads a whole body into its intake. The body pauses while the gateway's memory has no room for it. After `ROOM_MS`
 * without room, or once the intake can't keep the body whole, the collection fails and the call upstream ends. A
 * thousand bodies may find room, or have waited for too long, at one moment: each goes on, or fails, in its turn.
 */
export function collectAnswer(
  body: InboundBody,
  intake: AnswerIntake,
  { work, memory }: { readonly work: Pick<WorkQueue, 'resume'>; readonly memory: CallMemory },
): Promise<CollectResult> {
  const router = memory.router.path
  return new Promise((resolve) => {
    const waiting: Buffer[] = []
    let isWhole = false
    let isSettled = false
    let hasTurn = false
    let checking: NodeJS.Timeout | undefined
    let waitedMs = 0
    body.attach({
      chunk(bytes) {
        // Nobody would take the bytes of a failed collection, nor end the checks for their room.
        if (isSettled) return false
        if (waiting.length === 0 && intake.hasRoom(bytes.length)) return take(bytes)
        const kept = withoutRest(bytes)
        // The calls of other routers would be refused if the account were above its limit.
        if (!memory.takeSpare(kept.length)) {
          fail('OVERLOADED')
          return false
        }
        waiting.push(kept)
        checking ??= setInterval(checkRoom, CHECK_MS)
        return false
      },
      end() {
        isWhole = true
        if (waiting.length === 0) settle({ kind: 'whole' })
      },
      failed: (code) => settle({ kind: 'failed', code }),
    })

    /** Returns false where the sender should wait. */
    function take(bytes: Buffer): boolean {
      const keepsUp = intake.add(bytes)
      const { problem } = intake
      if (problem !== undefined) {
        fail(problem)
        return false
      }
      if (!keepsUp) work.resume(router, () => body.resume())
      return keepsUp
    }

    function checkRoom(): void {
      waitedMs += CHECK_MS
      const [next] = waiting
      const waitsOn = next !== undefined && !intake.hasRoom(next.length) && waitedMs < ROOM_MS
      if (hasTurn || waitsOn) return
      hasTurn = true
      work.resume(router, () => takeWaiting())
    }

    /** Takes the waiting chunks for which there is room; those that the turn has no time for wait for the next check. */
    function takeWaiting(): void {
      hasTurn = false
      if (isSettled) return
      for (let next = waiting[0]; next !== undefined && intake.hasRoom(next.length); next = waiting[0]) {
        waiting.shift()
        memory.releaseSpare(next.length)
        waitedMs = 0
        if (!take(next)) return
      }
      if (waiting.length > 0) {
        if (waitedMs >= ROOM_MS) fail('OVERLOADED')
        return
      }
      clearInterval(checking)
      checking = undefined
      if (isWhole) settle({ kind: 'whole' })
      else body.resume()
    }

    function fail(code: BodyFailure): void {
      settle({ kind: 'failed', code })
      body.abort()
    }

    function settle(collected: CollectResult): void {
      isSettled = true
      clearInterval(checking)
      for (const { length } of waiting) memory.releaseSpare(length)
      waiting.length = 0
      resolve(collected)
    }
  })
}
