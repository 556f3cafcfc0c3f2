import type { WorkQueue } from '../work/work-queue.ts'
import type { CallOutcome } from './bus.ts'

/** The most calls that wait at once on a bus. */
export const MAX_PENDING_CALLS = 40_000

const LONGEST_TIMER_MS = 2 ** 31 - 1
/** The most milliseconds for which calls wait, beyond their time, for replies to be read. */
const LONGEST_READING_MS = 1_000
const TIMED_OUT: CallOutcome = { kind: 'failed', error: 'timeout' }

type PendingCall = { readonly settle: (outcome: CallOutcome) => void; readonly timer: NodeJS.Timeout }

/** The calls that wait for an answer, by a token that is never reused. */
export class PendingCalls {
  readonly #calls = new Map<string, PendingCall>()
  readonly #work: WorkQueue
  readonly #ended: (token: string) => void
  readonly #nowMs: () => number
  #opened = 0
  /** The time since which replies have waited to be read. */
  #unreadSinceMs: number | undefined
  /** Calls whose time is over, and whose replies may wait to be read. */
  #overdue: string[] = []

  /** `ended` is called with the token of each call that has its outcome. */
  constructor(work: WorkQueue, ended: (token: string) => void, nowMs = () => performance.now()) {
    this.#work = work
    this.#ended = ended
    this.#nowMs = nowMs
  }

  get full(): boolean {
    return this.#calls.size >= MAX_PENDING_CALLS
  }

  /**
   * Opens a call whose time starts now, before its message is sent. `send` gets the token of the answer and the
   * deadline in Unix milliseconds. The outcome is `timeout` unless `settle` or `endAll` comes first.
   */
  open(timeoutMs: number, send: (token: string, deadline: number) => void): Promise<CallOutcome> {
    return new Promise((resolve) => {
      const token = String(++this.#opened)
      const limitMs = Math.min(timeoutMs, LONGEST_TIMER_MS)
      const timer = setTimeout(() => this.#timeOut(token), limitMs)
      this.#calls.set(token, { settle: resolve, timer })
      send(token, Date.now() + limitMs)
    })
  }

  /** Settles a call; returns false for late and second answers, which find no call and are dropped. */
  settle(token: string, outcome: CallOutcome): boolean {
    const call = this.#calls.get(token)
    if (call === undefined) return false
    this.#calls.delete(token)
    clearTimeout(call.timer)
    this.#ended(token)
    call.settle(outcome)
    return true
  }

  /**
   * Settles all calls, in later turns, since the code that continues after each of thousands of calls would run in this
   * turn.
   */
  endAll(outcome: CallOutcome): void {
    for (const token of [...this.#calls.keys()]) this.#endLater(token, outcome)
  }

  /**
   * Holds back timeouts, for a second at most, while replies wait to be read: thousands of replies may come at one
   * moment, and a reply that came in time must not be too late for their sake.
   */
  noteUnread(): void {
    this.#unreadSinceMs ??= this.#nowMs()
    if (!this.#holdsTimeouts) this.#endOverdue()
  }

  /** Ends the calls that were held back and whose replies weren't among those that were read. */
  noteRead(): void {
    this.#unreadSinceMs = undefined
    this.#endOverdue()
  }

  get #holdsTimeouts(): boolean {
    return this.#unreadSinceMs !== undefined && this.#nowMs() - this.#unreadSinceMs < LONGEST_READING_MS
  }

  #timeOut(token: string): void {
    if (this.#holdsTimeouts) this.#overdue.push(token)
    else this.#end(token, TIMED_OUT)
  }

  #endOverdue(): void {
    if (this.#overdue.length === 0) return
    const tokens = this.#overdue
    this.#overdue = []
    for (const token of tokens) this.#endLater(token, TIMED_OUT)
  }

  /** Settles a call in this turn or a later one: the time of thousands of calls may be over at the same moment. */
  #end(token: string, outcome: CallOutcome): void {
    if (!this.#work.isTurnUsedUp) this.settle(token, outcome)
    else this.#endLater(token, outcome)
  }

  #endLater(token: string, outcome: CallOutcome): void {
    void this.#work.nextTurn().then(() => this.settle(token, outcome)) // never rejects
  }
}
