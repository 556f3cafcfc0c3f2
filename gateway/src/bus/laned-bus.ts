import type { Bus } from './bus.ts'
import { createNatsBus, type NatsBusOptions } from './nats-bus.ts'

/** Larger messages, and calls to processors that reply with larger ones, take the second lane. */
const LARGE_BYTES = 65_536
/** The milliseconds for which a subject keeps to the second lane after a large reply. */
const LARGE_FOR_MS = 60_000
/** More subjects than any configuration has processors; beyond it all are forgotten. */
const MAX_SUBJECTS = 10_000

/**
 * Creates a bus of two connections, so that small calls wait neither behind large messages nor behind large replies:
 * one connection carries bytes in order. Other clients reach the gateway on the second connection only.
 */
export function createLanedBus(options: NatsBusOptions): Bus {
  const { logger } = options
  const named = { info: lineOf(logger, 'info'), warn: lineOf(logger, 'warn') }
  const onLateReply = (subject: string, bytes: Uint8Array): void => bus.noteReply(subject, bytes)
  const bus = new LanedBus(createNatsBus({ ...options, onLateReply }), createNatsBus({ ...options, logger: named }))
  return bus
}

/** Returns a function that logs with the lane's name. */
function lineOf(logger: NatsBusOptions['logger'], level: 'info' | 'warn'): (fields: object, message: string) => void {
  return (fields, message) => logger[level]({ ...fields, for: 'large messages' }, message)
}

/** A bus that chooses a lane for each call by the size of its message and of the last replies. */
export class LanedBus implements Bus {
  readonly #small: Bus
  readonly #large: Bus
  readonly #nowMs: () => number
  /** The time until which a subject keeps to the second lane. */
  readonly #largeUntilMs = new Map<string, number>()

  constructor(small: Bus, large: Bus, nowMs: () => number = () => performance.now()) {
    this.#small = small
    this.#large = large
    this.#nowMs = nowMs
  }

  get connected(): boolean {
    return this.#small.connected && this.#large.connected
  }

  get maxPayload(): number | undefined {
    return this.#small.maxPayload
  }

  async call(...[subject, message, options]: Parameters<Bus['call']>): ReturnType<Bus['call']> {
    const lane = message.length > LARGE_BYTES || this.#repliesLarge(subject) ? this.#large : this.#small
    const outcome = await lane.call(subject, message, options)
    if (outcome.kind === 'reply') this.noteReply(subject, outcome.bytes)
    return outcome
  }

  /** Notes a reply's size, also of one that came too late or twice: small calls wait behind its bytes all the same. */
  noteReply(subject: string, bytes: Uint8Array): void {
    if (bytes.length <= LARGE_BYTES) return
    if (this.#largeUntilMs.size >= MAX_SUBJECTS) this.#largeUntilMs.clear()
    this.#largeUntilMs.set(subject, this.#nowMs() + LARGE_FOR_MS)
  }

  async flush(): Promise<boolean> {
    const taken = await Promise.all([this.#small.flush(), this.#large.flush()])
    return taken.every(Boolean)
  }

  onConnected(listener: () => void): void {
    this.#small.onConnected(listener)
  }

  onDisconnected(listener: () => void): void {
    this.#small.onDisconnected(listener)
  }

  respond(subject: string, answer: () => Uint8Array): void {
    this.#large.respond(subject, answer)
  }

  async close(): Promise<void> {
    await Promise.all([this.#small.close(), this.#large.close()])
  }

  #repliesLarge(subject: string): boolean {
    const untilMs = this.#largeUntilMs.get(subject)
    if (untilMs === undefined) return false
    if (this.#nowMs() < untilMs) return true
    this.#largeUntilMs.delete(subject)
    return false
  }
}
