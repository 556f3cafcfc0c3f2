import { type CallResult, LoadConnection, type LoadTarget } from './load-connection.ts'
import { type Percentiles, percentiles } from './percentiles.ts'

export type RunPlan = {
  readonly target: LoadTarget
  readonly connections: number
  /** The run ends after this time or after `requests`, whichever comes first. */
  readonly seconds: number
  readonly requests?: number
  /** Requests per second at fixed intervals (open loop). Unset: each connection sends again after its answer. */
  readonly rate?: number
  nextSerial(): number
  /** Returns whether another request may start after `answered` good answers; missing records hold it back. */
  mayStart(answered: number): boolean
}

export type RunResult = {
  readonly ok: number
  readonly errors: number
  readonly seconds: number
  readonly latency: Percentiles
  readonly firstByte: Percentiles
  /** Time from the upstream's write of a chunk to the load's read; bursts only. */
  readonly travel?: Percentiles
  /** Number of times a connection waited for records. */
  readonly waits: number
}

const MAX_SAMPLES = 2_000_000
const GENERATOR_LATE_MS = 2
const MAX_ERRORS = 1_000

/** Runs the plan until every call is answered or failed. */
export function run(plan: RunPlan): Promise<RunResult> {
  return new Promise((resolve) => new LoadRun(plan, resolve).begin())
}

class LoadRun {
  readonly #plan: RunPlan
  readonly #resolve: (result: RunResult) => void
  readonly #began = performance.now()
  readonly #latency: number[] = []
  readonly #firstByte: number[] = []
  /** The due times of requests that found no idle connection. */
  readonly #backlog: number[] = []
  readonly #connections: readonly LoadConnection[]
  readonly #idle: LoadConnection[]
  #waiting: LoadConnection[] = []
  #ticker: NodeJS.Timeout | undefined
  #due = 0
  #started = 0
  #ok = 0
  #errors = 0
  #waits = 0

  constructor(plan: RunPlan, resolve: (result: RunResult) => void) {
    this.#plan = plan
    this.#resolve = resolve
    this.#connections = Array.from({ length: plan.connections }, () => {
      return new LoadConnection(plan.target, (connection, result) => this.#ended(connection, result))
    })
    this.#idle = [...this.#connections]
  }

  begin(): void {
    // The open loop needs the finest timer; the closed loop only checks the waiting connections.
    this.#ticker = setInterval(() => this.#tick(), this.#plan.rate === undefined ? 2 : 1)
    if (this.#plan.rate === undefined) for (const connection of this.#connections) this.#sendWhenAllowed(connection)
  }

  get #over(): boolean {
    const { seconds, rate, requests = Number.POSITIVE_INFINITY } = this.#plan
    if (this.#errors > MAX_ERRORS || this.#started >= requests) return true
    // The open loop makes up for every due request, also if the generator was held up at the end.
    if (rate !== undefined) return this.#due >= rate * seconds
    return performance.now() >= this.#began + seconds * 1_000
  }

  #tick(): void {
    if (this.#plan.rate !== undefined) this.#sendDue(this.#plan.rate)
    const waiting = this.#waiting
    this.#waiting = []
    if (!this.#over) for (const connection of waiting) this.#sendWhenAllowed(connection)
    if (this.#over && this.#started === this.#ok + this.#errors && this.#backlog.length === 0) this.#finish()
  }

  /**
   * Sends the due requests. A request that waits for a connection is timed from its due time (coordinated omission).
   */
  #sendDue(rate: number): void {
    const now = performance.now()
    while (!this.#over) {
      const dueAt = this.#began + (this.#due * 1_000) / rate
      if (dueAt > now) return
      this.#due += 1
      const connection = this.#idle.shift()
      // A slightly late timer doesn't count as latency. A longer delay does, since a target may have caused it.
      if (connection !== undefined) this.#send(connection, now - dueAt > GENERATOR_LATE_MS ? dueAt : now)
      else this.#backlog.push(dueAt)
    }
  }

  #sendWhenAllowed(connection: LoadConnection): void {
    if (this.#plan.mayStart(this.#ok)) {
      this.#send(connection, performance.now())
      return
    }
    this.#waits += 1
    this.#waiting.push(connection)
  }

  #send(connection: LoadConnection, startedAt: number): void {
    this.#started += 1
    connection.send(this.#plan.nextSerial(), startedAt)
  }

  #ended(connection: LoadConnection, result: CallResult): void {
    if (result.ok) this.#ok += 1
    else this.#errors += 1
    if (this.#latency.length < MAX_SAMPLES) {
      this.#latency.push(result.milliseconds)
      this.#firstByte.push(result.millisecondsToFirstByte)
    }
    const queued = this.#backlog.shift()
    if (queued !== undefined) this.#send(connection, queued)
    else if (this.#plan.rate !== undefined) this.#idle.push(connection)
    else if (!this.#over) this.#sendWhenAllowed(connection)
  }

  #finish(): void {
    clearInterval(this.#ticker)
    for (const connection of this.#connections) connection.close()
    this.#resolve({
      ok: this.#ok,
      errors: this.#errors,
      seconds: (performance.now() - this.#began) / 1_000,
      latency: percentiles(this.#latency),
      firstByte: percentiles(this.#firstByte),
      waits: this.#waits,
    })
  }
}
