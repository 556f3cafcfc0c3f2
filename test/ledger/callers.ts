import { request } from 'node:http'
import { createRandom } from '../operator/random.ts'

/** Callers of the gateway, and a list of the calls that were answered. */
export type Callers = {
  /** Serials of the calls whose whole answer came. */
  readonly answered: ReadonlySet<number>
  /** Calls that ended otherwise: refused, cut off. */
  readonly failed: number
  /** How many by their status; 0: no whole answer. */
  readonly failures: ReadonlyMap<number, number>
  /** The gateway is elsewhere from now on; undefined: nobody calls for a while. */
  pointTo(port: number | undefined): void
  /** Returns when so many more calls were answered. */
  more(count: number): Promise<void>
  /** Every call that is under way ends. */
  stop(): Promise<void>
}

/** What a call's body holds beside its serial. */
const SIZES = [0, 0, 100, 100, 500, 500, 2_000, 2_000, 2_000, 10_000, 10_000, 30_000, 100_000] as const
/** More would be the machine's disk that is tried, not the ledger: records have two payloads twice. */
const LONGEST_WAIT_MS = 120_000

export type Load = {
  readonly callers: number
  /** Between a caller's calls, twice as long at most. */
  readonly pauseMs: number
  /** Bytes of large bodies, and how many of all are. */
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

/** The status of an answer that came whole, else 0. */
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
