import { request } from 'node:http'
import { createRandom } from '../operator/random.ts'

/** Callers of the gateway and a list of their answered calls. */
export type Callers = {
  /** Serials of the calls with a complete answer. */
  readonly answered: ReadonlySet<number>
  /** Number of other calls: refused or cut off. */
  readonly failed: number
  /** Number of failed calls by status; 0 means no complete answer. */
  readonly failures: ReadonlyMap<number, number>
  /** Sets the gateway's port; undefined pauses the calls. */
  pointTo(port: number | undefined): void
  /** Resolves when `count` more calls were answered. */
  more(count: number): Promise<void>
  /** Resolves when all running calls have ended. */
  stop(): Promise<void>
}

/**
 * Sizes of the filler in a call's body. Larger records would test the machine's disk instead of the ledger: a record
 * has both payloads twice.
 */
const SIZES = [0, 0, 100, 100, 500, 500, 2_000, 2_000, 2_000, 10_000, 10_000, 30_000, 100_000] as const
/** The longest wait for the answers that `more` asks for. */
const LONGEST_WAIT_MS = 120_000

export type Load = {
  readonly callers: number
  /** Pause between a caller's calls, up to twice as long. */
  readonly pauseMs: number
  /** Sizes of large bodies, and below their share of all bodies. */
  readonly large: readonly number[]
  readonly largeShare: number
}

const SHORT: Load = { callers: 8, pauseMs: 10, large: [1_000_000, 2_000_000, 8_000_000], largeShare: 0.01 }

export function startCallers(seed: number, { callers: count, pauseMs, large, largeShare }: Load = SHORT): Callers {
  const answered = new Set<number>()
  let serial = 0
  let failed = 0
  const failures = new Map<number, number>()
  let port: number | undefined
  let stopped = false

  const caller = async (number: number): Promise<void> => {
    const random = createRandom(seed * 1_000 + number)
    while (!stopped) {
      if (port !== undefined) {
        serial += 1
        const size = random.pick(random.chance(largeShare) ? large : SIZES)
        const call = { serial, stream: random.chance(0.3), filler: 'x'.repeat(size) }
        const status = await statusOf(port, call)
        if (status === 200) answered.add(call.serial)
        else {
          failed += 1
          failures.set(status, (failures.get(status) ?? 0) + 1)
        }
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs + random.below(pauseMs)))
    }
  }
  const callers = Array.from({ length: count }, (_, number) => caller(number))

  return {
    answered,
    failures,
    get failed() {
      return failed
    },
    pointTo: (next) => {
      port = next
    },
    more: async (count) => {
      const until = answered.size + count
      const end = performance.now() + LONGEST_WAIT_MS
      while (answered.size < until) {
        if (performance.now() > end) throw new Error(`${until - answered.size} of ${count} calls weren't answered`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    stop: async () => {
      stopped = true
      await Promise.all(callers)
    },
  }
}

/** Returns the status of a complete answer, else 0. */
function statusOf(port: number, call: object): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(
      { port, host: '127.0.0.1', path: '/llm/chat/completions', method: 'POST', agent: false },
      (answer) => {
        answer.on('data', () => undefined)
        answer.on('close', () => resolve(answer.complete ? (answer.statusCode ?? 0) : 0))
      },
    )
    sent.on('error', () => resolve(0))
    sent.end(JSON.stringify(call))
  })
}
