import { createGate, type Gate, type GateLoad, type GateOptions } from './gate.ts'

/** The size class of a message. Each class has its own queue, so a long message doesn't delay a short message. */
export type Lane = 'short' | 'long' | 'huge'

const LANES = ['short', 'long', 'huge'] as const satisfies readonly Lane[]

const KIB = 1024
/**
 * The main thread may read messages of at most this size: parsing and walking one takes a few milliseconds (16 KiB of
 * `{},` 3 ms, of prose scored by the content filter 4 ms).
 */
const SHORT_BYTES = 16 * KIB
/** The size of a long prompt; larger messages hold documents, pictures or floods. */
const LONG_BYTES = 512 * KIB

export function laneOf(bytes: number): Lane {
  if (bytes <= SHORT_BYTES) return 'short'
  return bytes <= LONG_BYTES ? 'long' : 'huge'
}

/** Limits on the messages in work; absent limits have defaults. */
export type LaneLimits = {
  /**
   * Short messages in work at the same time; default 64. A quarter as many long messages and a sixteenth as many huge
   * messages are in work.
   */
  readonly concurrency?: number
  /** Messages that may wait in a lane; default 1,024. Further messages are dropped, and their callers time out. */
  readonly waiting?: number
}

export type LanesOptions = LaneLimits & {
  /** True: threads read the messages that aren't short. */
  readonly readsInThreads: boolean
  readonly overloaded: (lane: Lane) => void
  readonly recovered: (lane: Lane, dropped: number) => void
}

export type Lanes = {
  readonly gates: Readonly<Record<Lane, Gate>>
  /** The sum over all lanes. */
  readonly load: GateLoad
  /** Resolves when no task of any lane runs or waits. */
  idle(): Promise<void>
}

/**
 * The threads for messages that aren't short. Each reads one message after the other, and a router leaves one of two
 * threads free: a huge message may take its whole time in a thread, and the tokens of a long one take seconds to count.
 */
export const THREADS = { long: 2, huge: 2 } as const satisfies Omit<Record<Lane, number>, 'short'>

const DEFAULT_CONCURRENCY = 64
const DEFAULT_WAITING = 1_024
const MIB = 1024 * 1024
const WAITING_BYTES: Readonly<Record<Lane, number>> = { short: 16 * MIB, long: 32 * MIB, huge: 32 * MIB }
/** Room for the oldest huge message of each of two routers. A short or long one is a small part of its queue. */
const FIRST_BYTES: Readonly<Record<Lane, number>> = { short: 0, long: 0, huge: 32 * MIB }
const SHARE: Readonly<Record<Lane, number>> = { short: 1, long: 4, huge: 16 }

/** Makes a gate for each size class. */
export function createLanes(options: LanesOptions): Lanes {
  const gates = { short: gateOf('short', options), long: gateOf('long', options), huge: gateOf('huge', options) }
  const isBusy = (): boolean => LANES.some((lane) => gates[lane].load.running > 0)
  return {
    gates,
    get load() {
      return LANES.map((lane) => gates[lane].load).reduce(together)
    },
    // A message that a thread has read goes on in the lane `short`, so one pass over the lanes isn't enough.
    idle: async () => {
      while (isBusy()) for (const lane of LANES) await gates[lane].idle()
    },
  }
}

function gateOf(lane: Lane, options: LanesOptions): Gate {
  const { concurrency = DEFAULT_CONCURRENCY, waiting = DEFAULT_WAITING, readsInThreads } = options
  const limits: GateOptions = {
    concurrency: readsInThreads && lane !== 'short' ? THREADS[lane] : Math.ceil(concurrency / SHARE[lane]),
    waiting,
    waitingBytes: WAITING_BYTES[lane],
    firstBytes: FIRST_BYTES[lane],
    overloaded: () => options.overloaded(lane),
    recovered: (dropped) => options.recovered(lane, dropped),
  }
  return createGate(limits)
}

function together(one: GateLoad, other: GateLoad): GateLoad {
  return {
    running: one.running + other.running,
    waiting: one.waiting + other.waiting,
    waitingBytes: one.waitingBytes + other.waitingBytes,
    overloaded: one.overloaded || other.overloaded,
  }
}
