import { waitFor } from '@llm-gateway/sdk'
import type { Attempt, SinkRecord, Writer } from '../targets/writer.ts'
import type { BackOff } from './back-off.ts'
import { SetAside, type SetAsideRecord } from './set-aside.ts'
import { batchesOf, type FailedRecord, type SettleOptions, settle, writeBatch } from './try-batch.ts'

export type DeliveryOptions = SettleOptions & {
  readonly writer: Writer
  /** Ends the tries; records that aren't settled by then stay with the bus. */
  readonly signal: AbortSignal
  readonly backOff: BackOff
  /** The back-off of the records that are set aside; theirs must not delay later records. */
  readonly asideBackOff: BackOff
  /** Default: `waitFor`. */
  readonly wait?: typeof waitFor
  /** Milliseconds of a monotonic clock; default `performance.now`. */
  readonly now?: () => number
}

/**
 * The failed tries, each after a delivery of another record, that make a record a dead letter. With the waits between
 * them they take some five minutes: a part of a target may be away for a while.
 */
const MOST_REFUSALS = 12
const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 60_000
const MOST_DOUBLINGS = 8

type Batch = readonly SinkRecord[]

/**
 * Writes records in batches and tries again until each is settled. While the target takes other records, a failing
 * record is set aside: later records go on, and the record is tried again by itself until it is delivered or becomes a
 * dead letter. While the target takes nothing, all tries wait for the back-off.
 */
export class Delivery {
  readonly #options: DeliveryOptions
  readonly #wait: typeof waitFor
  readonly #now: () => number
  readonly #aside = new SetAside()
  /** The records that the target has taken. */
  #deliveries = 0
  /** The deliveries up to the last failed try of records that aren't set aside. */
  #deliveriesBefore = 0
  #retrying: Promise<void> | undefined
  #isEnding = false

  constructor(options: DeliveryOptions) {
    this.#options = options
    this.#wait = options.wait ?? waitFor
    this.#now = options.now ?? (() => performance.now())
  }

  /** Returns whether a record with this id is set aside. */
  isAside(id: string): boolean {
    return this.#aside.has(id)
  }

  /** Resolves once each record is settled or set aside, or the signal aborts; remaining records aren't reported. */
  async deliver(records: readonly SinkRecord[]): Promise<void> {
    const { writer } = this.#options
    const batches = batchesOf(records, writer.batch)
    const workers = Math.min(writer.concurrency, batches.length)
    await Promise.all(Array.from({ length: workers }, () => this.#work(batches)))
  }

  /** Resolves once the records that are set aside are settled. Their waits are short now. */
  async end(): Promise<void> {
    this.#isEnding = true
    await this.#retrying
  }

  async #work(batches: Batch[]): Promise<void> {
    let isFailing = false
    while (!this.#options.signal.aborted) {
      // The newest record is tried while nothing succeeds: the oldest may be many of one caller, and all at fault.
      const batch = isFailing ? batches.pop() : batches.shift()
      if (batch === undefined) return
      isFailing = await this.#try(batch, batches)
    }
  }

  /** Tries a batch once and puts its unsettled records aside or back. Returns true while the target takes nothing. */
  async #try(batch: Batch, batches: Batch[]): Promise<boolean> {
    const { writer, backOff, signal } = this.#options
    const startedMs = this.#now()
    const attempt = await writeBatch(writer, batch)
    const left = await this.#settle(batch, attempt)
    if (left.length === 0) return false
    const isFailing = this.#deliveries === this.#deliveriesBefore
    this.#deliveriesBefore = this.#deliveries
    const rest = await this.#unplaced(left, batch)
    batches.unshift(...rest)
    const isStuck = writer.keepsBatches === true || (rest.length > 0 && left.length < 2)
    // A target that asks for time gets it, though it takes other records.
    if (isFailing || isStuck || left.some(({ failure }) => failure.isBusy === true))
      await this.#wait(backOff.failed(startedMs, attempt.retryAfterMs ?? 0), signal)
    return isFailing && writer.keepsBatches !== true
  }

  /** Sets failed records aside; returns those that are to be tried in their place, as batches. */
  async #unplaced(left: readonly FailedRecord[], batch: Batch): Promise<readonly Batch[]> {
    const records = left.map(({ record }) => record)
    if (this.#options.writer.keepsBatches === true) return [records]
    // The records of a batch share its failure, and halves show which of them is at fault.
    if (left.length === batch.length && left.length > 1) {
      const middle = Math.ceil(left.length / 2)
      return [records.slice(0, middle), records.slice(middle)]
    }
    const rest: Batch[] = []
    for (const { record, failure } of left) {
      const entry = { record, failure, refusals: 0, tries: 1, deliveries: this.#deliveries, dueMs: this.#dueMs(1) }
      if (!(await this.#setAside(entry))) rest.push([record])
    }
    return rest
  }

  /** Returns false without room. A record that was refused most often gives way; while nothing was refused, none does. */
  async #setAside(entry: SetAsideRecord): Promise<boolean> {
    if (!this.#aside.put(entry)) {
      const most = this.#aside.mostRefused()
      if (most === undefined || !(await this.#refuse(most)) || !this.#aside.put(entry)) return false
    }
    this.#retrying ??= this.#retry().finally(() => {
      this.#retrying = undefined
    })
    return true
  }

  /** Tries the records that are set aside, one after the other. Never rejects. */
  async #retry(): Promise<void> {
    const { signal } = this.#options
    while (this.#aside.size > 0 && !signal.aborted) {
      const entry = this.#aside.next(this.#now())
      if (entry !== undefined && this.#isDue(entry)) await this.#aside.hold(entry, () => this.#tryAgain(entry))
      // Another record may be set aside meanwhile, and be due before.
      else await this.#wait(FIRST_DELAY_MS, signal)
    }
  }

  async #tryAgain(entry: SetAsideRecord): Promise<void> {
    const { writer, asideBackOff } = this.#options
    const startedMs = this.#now()
    const attempt = await writeBatch(writer, [entry.record])
    const [failed] = await this.#settle([entry.record], attempt)
    if (failed === undefined) {
      this.#aside.remove(entry.record)
      return
    }
    const deliveries = this.#deliveries
    // At the end a record that was refused before has no others to be compared with.
    const isRefused = deliveries > entry.deliveries || (this.#isEnding && entry.refusals > 0)
    const [tries, refusals] = [entry.tries + 1, entry.refusals + (isRefused ? 1 : 0)]
    const { failure } = failed
    const again = { ...entry, failure, tries, refusals, deliveries, dueMs: this.#dueMs(tries) }
    this.#aside.put(again)
    if (refusals >= MOST_REFUSALS && (await this.#refuse(again))) return
    if (!isRefused) await this.#pause(asideBackOff.failed(startedMs, attempt.retryAfterMs ?? 0))
  }

  /** Waits, but not for longer than the target takes nothing. */
  async #pause(milliseconds: number): Promise<void> {
    const deliveries = this.#deliveries
    for (let left = milliseconds; left > 0 && this.#deliveries === deliveries; left -= FIRST_DELAY_MS) {
      if (!(await this.#wait(Math.min(left, FIRST_DELAY_MS), this.#options.signal))) return
    }
  }

  /** Makes a dead letter of a record that is set aside; returns false when that must be tried again. */
  async #refuse(entry: SetAsideRecord): Promise<boolean> {
    const { record, failure } = entry
    const isKept = await this.#aside.hold(entry, () => this.#options.refuse(record, failure.code))
    if (isKept) this.#aside.remove(record)
    return isKept
  }

  async #settle(batch: Batch, attempt: Attempt): Promise<readonly FailedRecord[]> {
    const { backOff, asideBackOff } = this.#options
    const left = await settle(batch, attempt, this.#options)
    const delivered = batch.length - attempt.failed.length
    this.#deliveries += delivered
    if (left.length < batch.length) backOff.succeeded()
    if (delivered > 0) asideBackOff.succeeded()
    return left
  }

  /** Returns whether a record may be tried; at the end a long wait is over. */
  #isDue({ dueMs }: SetAsideRecord): boolean {
    const left = dueMs - this.#now()
    return left <= 0 || (this.#isEnding && left > FIRST_DELAY_MS)
  }

  #dueMs(tries: number): number {
    if (this.#isEnding) return this.#now() + FIRST_DELAY_MS
    return this.#now() + Math.min(FIRST_DELAY_MS * 2 ** Math.min(tries - 1, MOST_DOUBLINGS), LONGEST_DELAY_MS)
  }
}
