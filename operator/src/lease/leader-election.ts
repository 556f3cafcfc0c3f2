import { isDeepStrictEqual } from 'node:util'
import type { V1Lease } from '@kubernetes/client-node'
import type { Logger } from '@llm-gateway/conf'
import { type KubeClient, type ObjectReference, TransportError, type WriteOutcome } from '@llm-gateway/kube'
import type { JsonOf } from '../model/manifest.ts'
import { createLeaseClock, type LeaseClock } from './lease-clock.ts'
import { decodeLease, type LeaseRecord, microTime, type ReadLease } from './lease-record.ts'

export type LeaderElectionOptions = {
  /** Has connections of its own, so that a renewal never waits behind other writes. */
  readonly client: KubeClient
  /** Unique among all running operators. A restarted process with the same identity takes its lease up again. */
  readonly identity: string
  readonly lease: { readonly namespace: string; readonly name: string }
  /** Called once when the lease is lost: the process has to end before its next write. */
  readonly lost: () => void
  readonly logger: Logger
  readonly clock?: LeaseClock
  readonly timings?: Partial<LeaseTimings>
}

export type LeaseTimings = {
  /** The time that others wait after the last change that they saw. */
  readonly durationMs: number
  /**
   * The time for which the holder trusts its lease, from the beginning of its last renewal. This time is shorter than
   * `durationMs`, so that the holder's requests have ended before another operator leads.
   */
  readonly renewDeadlineMs: number
  readonly retryMs: number
}

/** This process's part in the election: whether it leads, and so may write. */
export type Leadership = {
  /** Resolves when this process leads. */
  readonly elected: Promise<void>
  readonly isLeading: boolean
  /** The previous holder that fell silent; undefined: the lease was free, or our own. */
  readonly predecessor: string | undefined
  /** Called at every write. An expired lease is found and lost here. */
  mayWrite(): boolean
  /** Looks at the lease at once instead of within two seconds, since it may be free. */
  wake(): void
  /** Gives the lease back, so that another operator leads at once. */
  release(): Promise<void>
}

type Lease = JsonOf<V1Lease>

const TIMINGS: LeaseTimings = { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 }
const SECOND_MS = 1_000

/**
 * Takes part in the election until it is released, so that one operator writes at a time
 * (docs/reference/kubernetes.md#lease).
 */
export function startLeaderElection(options: LeaderElectionOptions): Leadership {
  const election = new Election(options)
  const running = election.run()
  return {
    elected: election.elected,
    get isLeading() {
      return election.isLeading
    },
    get predecessor() {
      return election.predecessor
    },
    mayWrite: () => election.mayWrite(),
    wake: () => election.wake(),
    release: async () => {
      election.stop()
      await running
      await election.giveBack()
    },
  }
}

/** Returns the leadership of an operator without rivals. */
export function leadAlone(): Leadership {
  const nothing = (): void => undefined
  return {
    elected: Promise.resolve(),
    isLeading: true,
    predecessor: undefined,
    mayWrite: () => true,
    wake: nothing,
    release: async () => undefined,
  }
}

type State = 'standing by' | 'leading' | 'lost' | 'stopped'

class Election {
  readonly #options: LeaderElectionOptions
  readonly #timings: LeaseTimings
  readonly #clock: LeaseClock
  readonly #place: ObjectReference
  readonly #elected = Promise.withResolvers<void>()
  #state: State = 'standing by'
  /** The last record that was read, and the time of its first sight. */
  #seen: (ReadLease & { readonly at: number }) | undefined
  #held: ReadLease | undefined
  #predecessor: string | undefined
  #deadline = 0
  #expiry: NodeJS.Timeout | undefined
  #wake: () => void = () => undefined

  constructor(options: LeaderElectionOptions) {
    this.#options = options
    this.#timings = { ...TIMINGS, ...options.timings }
    this.#clock = options.clock ?? createLeaseClock()
    this.#place = { kind: 'Lease', ...options.lease }
  }

  get elected(): Promise<void> {
    return this.#elected.promise
  }

  get isLeading(): boolean {
    return this.#state === 'leading'
  }

  get predecessor(): string | undefined {
    return this.#predecessor
  }

  mayWrite(): boolean {
    if (this.#state === 'leading' && this.#clock() >= this.#deadline) this.#lose('EXPIRED')
    return this.#state === 'leading'
  }

  wake(): void {
    if (this.#state === 'standing by') this.#wake()
  }

  stop(): void {
    clearTimeout(this.#expiry)
    if (this.#state !== 'lost') this.#state = 'stopped'
    this.#wake()
  }

  /** Never rejects. */
  async run(): Promise<void> {
    while (this.#state === 'standing by' || this.#state === 'leading') {
      const failure = await (this.#state === 'leading' ? this.#renew() : this.#stand()).catch(codeOf)
      if (failure !== undefined) this.#options.logger.warn({ code: failure }, 'lease could not be read or written')
      if (this.#state === 'standing by' || this.mayWrite()) await this.#pause()
    }
  }

  async giveBack(): Promise<void> {
    const held = this.#held
    if (held === undefined || this.#state === 'lost' || this.#clock() >= this.#deadline) return
    const now = this.#now()
    const record = { ...held.record, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now }
    const failure = await this.#write(held.resourceVersion, record).then(() => undefined, codeOf)
    if (failure !== undefined) this.#options.logger.warn({ code: failure }, 'lease could not be given back')
  }

  /** Takes the lease if it is free or its holder was silent for too long. */
  async #stand(): Promise<undefined> {
    const lease = await this.#read()
    const began = this.#clock()
    if (lease === undefined) {
      const metadata = this.#options.lease
      const lease: Lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: this.#record(0) }
      return this.#lead(await this.#options.client.create(this.#place, lease), began)
    }
    if (!isDeepStrictEqual(lease.record, this.#seen?.record)) this.#seen = { ...lease, at: began }
    const { holderIdentity, leaseTransitions } = lease.record
    const own = holderIdentity === this.#options.identity
    if (this.#state !== 'standing by' || (holderIdentity !== '' && !own && began < this.#freeAt)) return undefined
    if (holderIdentity !== '' && !own) this.#predecessor = holderIdentity
    return this.#lead(await this.#write(lease.resourceVersion, this.#record(leaseTransitions + (own ? 0 : 1))), began)
  }

  async #renew(): Promise<undefined> {
    if (this.#held === undefined) return undefined
    const began = this.#clock()
    const { record, resourceVersion } = this.#held
    const outcome = await this.#write(resourceVersion, { ...record, renewTime: this.#now() })
    if (outcome.kind === 'written') return this.#hold(outcome, began)
    // Another write came first: to other fields, by a new holder, or our own whose answer was lost.
    const lease = await this.#read()
    if (lease === undefined || !isSameLeadership(lease.record, record)) return this.#lose('TAKEN')
    this.#held = lease
    return this.#hold(await this.#write(lease.resourceVersion, { ...record, renewTime: this.#now() }), began)
  }

  #lead(outcome: WriteOutcome, began: number): undefined {
    if (outcome.kind === 'refused') return
    if (this.#state === 'standing by') this.#state = 'leading'
    this.#hold(outcome, began)
    if (!this.mayWrite()) return
    this.#options.logger.info({ identity: this.#options.identity }, 'this operator became the leader')
    this.#elected.resolve()
  }

  #hold(outcome: WriteOutcome, began: number): undefined {
    if (outcome.kind === 'refused') return
    this.#held = decodeLease(outcome.object)
    this.#deadline = began + this.#timings.renewDeadlineMs
    clearTimeout(this.#expiry)
    if (this.#state !== 'leading') return
    this.#expiry = setTimeout(() => this.mayWrite(), Math.max(0, this.#deadline - this.#clock()) + 1)
  }

  #lose(code: 'EXPIRED' | 'TAKEN'): undefined {
    if (this.#state !== 'leading') return
    this.#state = 'lost'
    clearTimeout(this.#expiry)
    this.#wake()
    this.#options.logger.error({ identity: this.#options.identity, code }, 'leadership lost')
    this.#options.lost()
  }

  async #read(): Promise<ReadLease | undefined> {
    const lease = await this.#options.client.get(this.#place)
    if (lease?.kind === 'refused') throw new LeaseRefused(lease.code)
    return lease === undefined ? undefined : decodeLease(lease.object)
  }

  /** Names the version that was read, so that of two writes at once one is refused. */
  #write(resourceVersion: string, spec: LeaseRecord): Promise<WriteOutcome> {
    const patch: Lease = { metadata: { resourceVersion }, spec }
    return this.#options.client.merge(this.#place, patch)
  }

  #record(leaseTransitions: number): LeaseRecord {
    const now = this.#now()
    const leaseDurationSeconds = Math.ceil(this.#timings.durationMs / SECOND_MS)
    const { identity } = this.#options
    return { holderIdentity: identity, leaseDurationSeconds, acquireTime: now, renewTime: now, leaseTransitions }
  }

  #now(): string {
    return microTime(Date.now() + (performance.now() % 1))
  }

  /** The time, by our clock, when the last seen holder will have been silent for too long. */
  get #freeAt(): number {
    return this.#seen === undefined ? 0 : this.#seen.at + this.#seen.record.leaseDurationSeconds * SECOND_MS
  }

  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    const { retryMs } = this.#timings
    const untilFree = this.#state === 'standing by' ? this.#freeAt - this.#clock() : retryMs
    const timer = setTimeout(resolve, untilFree > 0 ? Math.min(retryMs, untilFree + 1) : retryMs)
    await promise
    clearTimeout(timer)
  }
}

/** A refused read of the lease; `code` is the API server's reason. */
class LeaseRefused extends Error {
  readonly code: string
  constructor(code: string) {
    super('lease refused')
    this.code = code
  }
}

/** Compares acquireTime, too, since two processes may have one identity. */
function isSameLeadership(one: LeaseRecord, other: LeaseRecord): boolean {
  return one.holderIdentity === other.holderIdentity && one.acquireTime === other.acquireTime
}

function codeOf(error: unknown): string {
  if (error instanceof TransportError || error instanceof LeaseRefused) return error.code
  throw error
}
