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
  /**
   * Returns the number of records that all replicas of the sink have without an acknowledgement, infinite while it is
   * unknown. A replica doesn't learn that another one has delivered its suspects.
   */
  readonly unacknowledged?: () => number
}

export type LoneFailure = {
  /** The number of delivered records before the first failed try in which this record took part. */
  readonly since: number
  readonly startedMs: number
  /** The wait that the target asks for, in milliseconds. */
  readonly askedMs: number
  readonly code: string
}

type Suspect = {
  readonly tries: number
  /** The failures that count: another record was delivered since the failure before. */
  readonly failures: number
  /** The time of the first of these failures. */
  readonly firstMs: number
  /** The number of delivered records at the last failure. */
  readonly delivered: number
  /** The code of the last failure; empty: none yet. */
  readonly code: string
  /** The time at which the sink had the record last. */
  readonly seenMs: number
}

/** See docs/reference/kept-records.md#records-that-fail-alone. */
const PATIENCE: Patience = { failures: 5, ms: 600_000 }
/** As many records as the bus delivers without an acknowledgement. */
const MOST = 20_000
/** With more suspects than this the bus would soon deliver nothing else. */
const CROWD = MOST / 2
/** With this many suspects hardly another record comes that could show whether the target takes others. */
const FULL = MOST - 1_000
/** A replica of the sink has the suspect that wasn't here for as long as this. */
const ABSENT_MS = 3_600_000
/** The pause after a failed try, in durations of the try: slow tries leave their time to other records. */
const PAUSE_SHARE = 9
/** A failed try that took as long as this makes the suspects rest that were tried alone at least twice. */
const SLOW_MS = 1_000
const LONGEST_PAUSE_MS = 600_000
/**
 * The pause for each failure since the last delivery. The bus delivers postponed records first, and with shorter pauses
 * no new record would come between.
 */
const TURN_MS = 1_000
const LONGEST_TURN_MS = 60_000

const NEVER_TRIED: Suspect = { tries: 0, failures: 0, firstMs: 0, delivered: 0, code: '', seenMs: 0 }

/**
 * The records that failed alone, and others of failed batches that were not halved further. Other records show whether
 * the target refuses such a record or is away: a failure counts only if another record was delivered since the failure
 * before.
 */
export class Suspects {
  readonly #options: Required<SuspectOptions>
  readonly #known = new Map<SinkRecord | string, Suspect>()
  /** The number of suspects that the bus kept when they were here last. */
  #kept = 0
  #delivered = 0
  /** The number of failures since the last delivery. */
  #inARow = 0
  #restUntilMs = Number.NEGATIVE_INFINITY
  #madeRoomMs = Number.NEGATIVE_INFINITY

  constructor(options: SuspectOptions) {
    this.#options = { patience: PATIENCE, unacknowledged: () => Number.POSITIVE_INFINITY, ...options }
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

  /**
   * Returns suspects in the order of their tries: those that were tried least, and of these the oldest, come first. One
   * of those that rest comes before them when the rest is over: new ones may come in each round.
   */
  inTurn(records: readonly SinkRecord[]): readonly SinkRecord[] {
    const suspects = records
      .map((record) => ({ record, ...(this.#known.get(keyOf(record)) ?? NEVER_TRIED) }))
      .toSorted((one, other) => one.tries - other.tries || one.firstMs - other.firstMs)
      .map(({ record }) => record)
    const rested = suspects.find((record) => this.rests(record) && this.restMs(record) === 0)
    return rested === undefined ? suspects : [rested, ...suspects.filter((record) => record !== rested)]
  }

  /**
   * Returns the records to give up without further failures, because so many suspects would keep new records from the
   * sink: those that were tried most, and of these the oldest. Records that the bus doesn't keep take no place there.
   */
  crowd(records: readonly SinkRecord[]): readonly { readonly record: SinkRecord; readonly code: string }[] {
    const surplus = this.#waiting - CROWD
    if (surplus <= 0) return []
    const tried = records
      .filter(({ sequence }) => sequence !== undefined)
      .map((record) => ({ record, ...(this.#known.get(keyOf(record)) ?? NEVER_TRIED) }))
      .filter(({ tries }) => tries > 0)
      .toSorted((one, other) => other.tries - one.tries || one.firstMs - other.firstMs)
    const failed = tried.filter(({ failures }) => failures > 0)
    if (failed.length > 0) return failed.slice(0, surplus)
    return tried.length > 0 && this.#makesRoom() ? tried.slice(0, 1) : []
  }

  /** Notes that a record failed beside others, which is no failure of its own; returns the milliseconds until its try. */
  suspected(record: SinkRecord): number {
    this.postponed(record)
    return Math.max(this.turnMs, TURN_MS)
  }

  /** Notes that a record was here, and that another try follows. */
  postponed(record: SinkRecord): void {
    const nowMs = this.#options.now()
    const known = { ...NEVER_TRIED, firstMs: nowMs, delivered: this.#delivered }
    this.#note(record, { ...(this.#known.get(keyOf(record)) ?? known), seenMs: nowMs })
  }

  /** Notes that a record failed alone; returns the milliseconds until its next try. */
  failed(record: SinkRecord, { since, startedMs, askedMs, code }: LoneFailure): number {
    const nowMs = this.#options.now()
    const { turnMs } = this
    this.#inARow += 1
    const before = this.#known.get(keyOf(record)) ?? { ...NEVER_TRIED, firstMs: nowMs, delivered: since }
    const tries = before.tries + 1
    this.#note(record, {
      tries,
      failures: before.failures + (this.#delivered > before.delivered ? 1 : 0),
      firstMs: before.failures === 0 ? nowMs : before.firstMs,
      delivered: this.#delivered,
      code,
      seenMs: nowMs,
    })
    const shareMs = Math.min(PAUSE_SHARE * (nowMs - startedMs), LONGEST_PAUSE_MS)
    return Math.max(shareMs, this.#options.backOff.pauseAfter(tries, askedMs), turnMs)
  }

  /** The shortest pause of a postponed record, in milliseconds. */
  get turnMs(): number {
    return Math.min(this.#inARow * TURN_MS, LONGEST_TURN_MS)
  }

  /**
   * Returns whether a suspect takes part in rests. Its first try alone follows soon: else a good record would wait behind
   * each new one that fails.
   */
  rests(record: SinkRecord): boolean {
    return (this.#known.get(keyOf(record)) ?? NEVER_TRIED).tries > 1
  }

  /**
   * Makes the suspects that rest do so after one of them failed: with many slow ones the target would get few other
   * records, and a target that asks for a wait would let the others fail, too.
   */
  restAfter(triedMs: number, askedMs: number): void {
    const shareMs = triedMs < SLOW_MS ? 0 : Math.min(PAUSE_SHARE * triedMs, LONGEST_PAUSE_MS)
    this.#restUntilMs = this.#options.now() + Math.max(shareMs, askedMs)
  }

  /** Returns the time for which a suspect isn't tried, in milliseconds. */
  restMs(record: SinkRecord): number {
    return this.rests(record) ? Math.max(0, this.#restUntilMs - this.#options.now()) : 0
  }

  /** Returns whether a record has failed so often, and for so long, that it is given up. */
  isGivenUp(record: SinkRecord): boolean {
    const suspect = this.#known.get(keyOf(record))
    const { patience, now } = this.#options
    return suspect !== undefined && suspect.failures >= patience.failures && now() - suspect.firstMs >= patience.ms
  }

  settled(record: SinkRecord): void {
    this.#forget(keyOf(record))
  }

  /**
   * Returns whether it is time to give one suspect up although nothing shows that the target takes others: once the bus
   * delivers only suspects, nothing else could show it.
   */
  #makesRoom(): boolean {
    const { now, patience } = this.#options
    if (this.#waiting < FULL || now() - this.#madeRoomMs < patience.ms) return false
    this.#madeRoomMs = now()
    return true
  }

  /**
   * The largest possible number of suspects among the records that the bus has delivered and that aren't acknowledged. The
   * bus delivers only so many of them.
   */
  get #waiting(): number {
    return Math.min(this.#kept, this.#options.unacknowledged())
  }

  /** Notes a suspect as the one seen last, and forgets those that weren't here for long. */
  #note(record: SinkRecord, suspect: Suspect): void {
    const key = keyOf(record)
    this.#forget(key)
    this.#known.set(key, suspect)
    if (isKept(key)) this.#kept += 1
    for (const [oldest, { seenMs }] of this.#known) {
      if (this.#known.size <= MOST && suspect.seenMs - seenMs < ABSENT_MS) return
      this.#forget(oldest)
    }
  }

  #forget(key: SinkRecord | string): void {
    if (this.#known.delete(key) && isKept(key)) this.#kept -= 1
  }
}

/** Returns whether the bus keeps the record of a key. */
function isKept(key: SinkRecord | string): boolean {
  return typeof key === 'string'
}

/** The bus delivers a postponed record as another object; without a stream the object stays the same. */
function keyOf(record: SinkRecord): SinkRecord | string {
  return record.sequence === undefined ? record : `${record.sequence} ${record.storedMs}`
}
