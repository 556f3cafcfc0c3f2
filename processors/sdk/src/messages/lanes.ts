import { createGate, type Gate, type GateLoad, type GateOptions } from './gate.ts'

/** The size class of a message. Each class has its own queue, so a long message doesn't delay a short message. */
export type Lane = 'short' | 'long' | 'huge'

/**
 * `read`: the messages that a thread has read and whose answers the program makes. They have places of their own, since
 * long texts may take long there, and short ones would wait for them.
 */
export type GateName = Lane | 'read'

const GATES = ['short', 'long', 'huge', 'read'] as const satisfies readonly GateName[]

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
   * Short messages in work at the same time; default 64, and 64 more that are the only ones of their routers. A quarter
   * as many long messages and a sixteenth as many huge messages are in work.
   */
  readonly concurrency?: number
  /** The most short messages of a router in work, and of those that a thread has read; default: half of the places. */
  readonly ofRouter?: number
  /** Messages that may wait in a lane; default 1,024. Further messages are dropped, and their callers time out. */
  readonly waiting?: number
}

export type LanesOptions = LaneLimits & {
  /** True: threads read the messages that aren't short. */
  readonly readsInThreads: boolean
  readonly overloaded: (lane: GateName) => void
  readonly recovered: (lane: GateName, dropped: number) => void
}

export type Lanes = {
  readonly gates: Readonly<Record<GateName, Gate>>
  /** The sum over all gates. */
  readonly load: GateLoad
  /** Resolves when no task of any gate runs or waits. */
  idle(): Promise<void>
}

/**
 * The threads for messages that aren't short. Each reads one message after the other, and a router leaves one of two
 * threads free: a huge message may take its whole time in a thread, and the tokens of a long one take seconds to count.
 */
export const THREADS = { long: 2, huge: 2 } as const satisfies Omit<Record<Lane, number>, 'short'>

const DEFAULT_CONCURRENCY = 64
/** A short message in work may take a megabyte once it is parsed. */
const FIRST_PLACES = 64
const DEFAULT_WAITING = 1_024
const MIB = 1024 * 1024
type PerGate = Readonly<Record<GateName, number>>
const WAITING_BYTES: PerGate = { short: 16 * MIB, long: 32 * MIB, huge: 32 * MIB, read: 16 * MIB }
/** Room for the oldest huge message of each of two routers. A short or long one is a small part of its queue. */
const FIRST_BYTES: PerGate = { short: 0, long: 0, huge: 32 * MIB, read: 0 }
const SHARE: PerGate = { short: 1, long: 4, huge: 16, read: 1 }

/** Makes a gate for each size class, and one for the messages that a thread has read. */
export function createLanes(options: LanesOptions): Lanes {
  const gates = {
    short: gateOf('short', options),
    long: gateOf('long', options),
    huge: gateOf('huge', options),
    read: gateOf('read', options),
  }
  const isBusy = (): boolean => GATES.some((name) => gates[name].load.running > 0)
  return {
    gates,
    get load() {
      return GATES.map((name) => gates[name].load).reduce(together)
    },
    idle: async () => {
      while (isBusy()) for (const name of GATES) await gates[name].idle()
    },
  }
}

function gateOf(name: GateName, options: LanesOptions): Gate {
  const { concurrency = DEFAULT_CONCURRENCY, ofRouter, waiting = DEFAULT_WAITING } = options
  const isRouterLimited = ofRouter !== undefined && (name === 'short' || name === 'read')
  const limits: GateOptions = {
    concurrency: threadsFor(name, options) ?? Math.ceil(concurrency / SHARE[name]),
    ...(isRouterLimited ? { ofFlow: ofRouter } : {}),
    // A program that states a concurrency may rely on it.
    firstPlaces: name === 'short' && options.concurrency === undefined ? FIRST_PLACES : 0,
    waiting,
    waitingBytes: WAITING_BYTES[name],
    firstBytes: FIRST_BYTES[name],
    overloaded: () => options.overloaded(name),
    recovered: (dropped) => options.recovered(name, dropped),
  }
  return createGate(limits)
}

function threadsFor(name: GateName, { readsInThreads }: LanesOptions): number | undefined {
  return readsInThreads && (name === 'long' || name === 'huge') ? THREADS[name] : undefined
}

function together(one: GateLoad, other: GateLoad): GateLoad {
  return {
    running: one.running + other.running,
    waiting: one.waiting + other.waiting,
    waitingBytes: one.waitingBytes + other.waitingBytes,
    overloaded: one.overloaded || other.overloaded,
  }
}
