import type { SinkRecord } from '../targets/writer.ts'
import type { BackOff } from './back-off.ts'

/** The failures after which a record is given up: their number, and the time since the first one. */
export type Patience = { readonly failures: number; readonly ms: number }

export type SuspectOptions = {
  readonly backOff: BackOff
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** Default: `PATIENCE`. */
  readonly patience?: Patience
}

export type LoneFailure = {
  /** The number of delivered records before the first failed try in which this record took part. */
  readonly since: number
  readonly startedMs: number
  /** The wait that the target asks for, in milliseconds. */
  readonly askedMs: number
}

type Suspect = {
  readonly tries: number
  /** The failures that count: another record was delivered since the failure before. */
  readonly failures: number
  /** The time of the first of these failures. */
  readonly firstMs: number
  /** The number of delivered records at the last failure. */
  readonly delivered: number
}

/** See docs/reference/kept-records.md#records-that-fail-alone. */
const PATIENCE: Patience = { failures: 5, ms: 600_000 }
/** As many records as the bus delivers without an acknowledgement. */
const MOST = 20_000
/** The pause after a failed try, in durations of the try: slow tries leave their time to other records. */
const PAUSE_SHARE = 9
/** A failed try that took as long as this makes all suspects wait. */
const SLOW_MS = 1_000
const LONGEST_PAUSE_MS = 600_000
/**
 * The pause for each failure since the last delivery. The bus delivers postponed records first, and with shorter pauses
 * no new record would come between.
 */
const TURN_MS = 1_000
const LONGEST_TURN_MS = 60_000

/**
 * The records that failed alone, and others of failed batches that were not halved further. Other records show whether
 * the target refuses such a record or is away: a failure counts only if another record was delivered since the failure
 * before.
 */
export class Suspects {
  readonly #options: Required<SuspectOptions>
  readonly #known = new Map<SinkRecord | string, Suspect>()
  #delivered = 0
  /** The number of failures since the last delivery. */
  #inARow = 0
  #restUntilMs = Number.NEGATIVE_INFINITY

  constructor(options: SuspectOptions) {
    this.#options = { patience: PATIENCE, ...options }
  }

  /** The number of records delivered so far. */
  get delivered(): number {
    return this.#delivered
  }

  addDelivered(count: number): void {
    this.#delivered += count
    if (count > 0) this.#inARow = 0
  }

  /** Returns whether a record may fail a whole batch. */
  has(record: SinkRecord): boolean {
    return this.#known.has(keyOf(record))
  }

  /** Returns suspects in the order of their tries: those that were tried least come first. */
  inTurn(records: readonly SinkRecord[]): readonly SinkRecord[] {
    const tries = (record: SinkRecord): number => this.#known.get(keyOf(record))?.tries ?? 0
    return records.toSorted((one, other) => tries(one) - tries(other))
  }

  /** Notes that a record failed beside others, which is no failure of its own; returns the milliseconds until its try. */
  suspected(record: SinkRecord): number {
    const known = { tries: 0, failures: 0, firstMs: this.#options.now(), delivered: this.#delivered }
    this.#note(record, this.#known.get(keyOf(record)) ?? known)
    return Math.max(this.turnMs, TURN_MS)
  }

  /** Notes that a record failed alone; returns the milliseconds until its next try. */
  failed(record: SinkRecord, { since, startedMs, askedMs }: LoneFailure): number {
    const nowMs = this.#options.now()
    const { turnMs } = this
    this.#inARow += 1
    const before = this.#known.get(keyOf(record)) ?? { tries: 0, failures: 0, firstMs: nowMs, delivered: since }
    const tries = before.tries + 1
    this.#note(record, {
      tries,
      failures: before.failures + (this.#delivered > before.delivered ? 1 : 0),
      firstMs: before.failures === 0 ? nowMs : before.firstMs,
      delivered: this.#delivered,
    })
    const shareMs = Math.min(PAUSE_SHARE * (nowMs - startedMs), LONGEST_PAUSE_MS)
    return Math.max(shareMs, this.#options.backOff.pauseAfter(tries, askedMs), turnMs)
  }

  /** The shortest pause of a postponed record, in milliseconds. */
  get turnMs(): number {
    return Math.min(this.#inARow * TURN_MS, LONGEST_TURN_MS)
  }

  /**
   * Makes suspects rest after a failed try: with many slow ones the target would get few other records, and a target that
   * asks for a wait would let the others fail, too.
   */
  restAfter(triedMs: number, askedMs: number): void {
    const shareMs = triedMs < SLOW_MS ? 0 : Math.min(PAUSE_SHARE * triedMs, LONGEST_PAUSE_MS)
    this.#restUntilMs = this.#options.now() + Math.max(shareMs, askedMs)
  }

  /** The time for which no suspect is tried, in milliseconds. */
  get restMs(): number {
    return Math.max(0, this.#restUntilMs - this.#options.now())
  }

  /** Returns whether a record has failed so often, and for so long, that it is given up. */
  isGivenUp(record: SinkRecord): boolean {
    const suspect = this.#known.get(keyOf(record))
    const { patience, now } = this.#options
    return suspect !== undefined && suspect.failures >= patience.failures && now() - suspect.firstMs >= patience.ms
  }

  settled(record: SinkRecord): void {
    this.#known.delete(keyOf(record))
  }

  #note(record: SinkRecord, suspect: Suspect): void {
    const key = keyOf(record)
    this.#known.delete(key)
    this.#known.set(key, suspect)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MOST && oldest !== undefined) this.#known.delete(oldest)
  }
}

/** The bus delivers a postponed record as another object; without a stream the object stays the same. */
function keyOf(record: SinkRecord): SinkRecord | string {
  return record.sequence === undefined ? record : `${record.sequence} ${record.storedMs}`
}
