import { waitFor } from '../wait.ts'
import type { DiskRoom } from './disk-room.ts'
import type { LivenessOutcome } from './liveness-probe.ts'

export type StallEvent =
  /** The bus counts as broken, because `failures` probes in a row failed. */
  | { readonly kind: 'stalled'; readonly code: string; readonly text?: string }
  /** A restart would not help, since the disk is full or can't be written. */
  | { readonly kind: 'no room'; readonly code: string; readonly freeBytes?: number }
  | { readonly kind: 'restarting'; readonly code: string; readonly text?: string }
  | { readonly kind: 'stores again' }

export type StallWatch = {
  readonly probe: () => Promise<LivenessOutcome>
  /** Tests whether the bus's folder can be written; otherwise a restart would not help. */
  readonly room: () => Promise<DiskRoom>
  readonly restart: () => Promise<void>
  readonly notify: (news: StallEvent) => void
  readonly signal: AbortSignal
  /** The clock, in milliseconds. */
  readonly now: () => number
  readonly intervalMs?: number
  /** The number of failed probes in a row after which the bus counts as broken. */
  readonly failures?: number
  /** The wait between the first restart and the second; it doubles each time, up to 30 minutes. */
  readonly backOffMs?: number
}

const INTERVAL_MS = 5_000
const FAILURES = 6
const BACK_OFF_MS = 60_000
const LONGEST_BACK_OFF_MS = 30 * 60_000

/**
 * Restarts a bus that no longer stores messages, provided that its disk has room: on a full disk a restart would
 * interrupt calls to processors and help nothing. Restarts that don't help become rarer. Resolves when the signal
 * aborts.
 */
export async function restartStalledBus(watch: StallWatch): Promise<void> {
  const { probe, signal, intervalMs = INTERVAL_MS } = watch
  const stall = new Stall(watch)
  while (!signal.aborted) {
    const outcome = await probe()
    if (signal.aborted) return
    if (outcome.kind === 'acknowledged') stall.stores()
    if (outcome.kind === 'failed') await stall.failed(outcome)
    if (!(await waitFor(intervalMs, signal))) return
  }
}

class Stall {
  readonly #watch: StallWatch
  #failures = 0
  #isStalled = false
  #tries = 0
  #nextTry = Number.NEGATIVE_INFINITY
  #roomCode: string | undefined

  constructor(watch: StallWatch) {
    this.#watch = watch
  }

  stores(): void {
    const { notify, now } = this.#watch
    if (this.#isStalled) notify({ kind: 'stores again' })
    this.#isStalled = false
    this.#failures = 0
    this.#roomCode = undefined
    // A bus that stalls again right after a restart keeps its longer wait.
    if (now() >= this.#nextTry) this.#tries = 0
  }

  async failed({ code, text }: Extract<LivenessOutcome, { kind: 'failed' }>): Promise<void> {
    const { notify, now, restart, room, failures = FAILURES } = this.#watch
    const why = text === undefined ? { code } : { code, text }
    this.#failures += 1
    if (this.#failures < failures) return
    if (!this.#isStalled) notify({ kind: 'stalled', ...why })
    this.#isStalled = true
    if (now() < this.#nextTry) return
    const found = await room()
    if (found.kind === 'none') return this.#noRoom(found)
    this.#roomCode = undefined
    this.#backOff()
    notify({ kind: 'restarting', ...why })
    this.#failures = 0
    await restart()
  }

  #noRoom({ code, freeBytes }: Extract<DiskRoom, { kind: 'none' }>): void {
    if (this.#roomCode !== code) {
      this.#watch.notify(freeBytes === undefined ? { kind: 'no room', code } : { kind: 'no room', code, freeBytes })
    }
    this.#roomCode = code
  }

  #backOff(): void {
    const { now, backOffMs = BACK_OFF_MS } = this.#watch
    this.#nextTry = now() + Math.min(backOffMs * 2 ** this.#tries, LONGEST_BACK_OFF_MS)
    this.#tries += 1
  }
}
