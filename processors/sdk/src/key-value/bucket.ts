import { type JetStreamClient, type JetStreamManager, type KV, StorageType } from 'nats'
import type { Logger } from '../logger.ts'
import { withinTime } from '../wait.ts'
import type { BusLink, LinkState } from './bus-link.ts'
import type { KeyValueOptions } from './key-value.ts'
import { isBucketMissing, type StoreAnswer, storeAnswer } from './store-answer.ts'

export type BucketOptions = {
  readonly link: BusLink
  readonly options: KeyValueOptions
  readonly logger: Logger
  /** 0 ≤ n < 1; spreads the retries of many clients. */
  readonly random: () => number
}

/** The client's objects for an open bucket. */
export type OpenBucket = { readonly kv: KV; readonly js: JetStreamClient; readonly jsm: JetStreamManager }

/** The limit for one operation with all its retries. */
const OPERATION_TIMEOUT_MS = 2_000
const RETRY_MIN_MS = 1_000
const RETRY_JITTER_MS = 1_000
const UNANSWERED = { kind: 'silent', reason: 'failed' } as const

/** A bucket's stream. The stream is made when it is missing; while the bus has no store, the bucket retries. */
export class KeyValueBucket {
  readonly name: string
  readonly stream: string
  /** The subject prefix of the bucket's keys: `$KV.<bucket>.<key>`. */
  readonly prefix: string
  readonly #settings: BucketOptions
  readonly #listeners = new Set<() => void>()
  #open: OpenBucket | undefined
  #gone = false
  #opening: Promise<boolean> | undefined
  #retry: NodeJS.Timeout | undefined
  #lastWarning = ''

  constructor(settings: BucketOptions) {
    this.#settings = settings
    this.name = settings.options.bucket.replaceAll(/[^\w-]/g, '_')
    this.stream = `KV_${this.name}`
    this.prefix = `$KV.${this.name}.`
    settings.link.follow((state) => this.#linkChanged(state))
  }

  get isOpen(): boolean {
    return this.#open !== undefined
  }

  get isGone(): boolean {
    return this.#gone
  }

  /** Registers a listener that is called when the bucket opens, when it is lost, and when the connection has ended. */
  listen(changed: () => void): () => void {
    this.#listeners.add(changed)
    return () => this.#listeners.delete(changed)
  }

  /** Returns whether the bucket is open. Tries to open it, unless the bus has just said that it has no store. */
  async ready(): Promise<boolean> {
    if (this.#open !== undefined) return true
    if (this.#gone || !this.#settings.link.connected) return false
    return this.#retry === undefined ? await this.again() : false
  }

  /** Opens the bucket, making it where the bus has lost it. */
  async again(): Promise<boolean> {
    this.#opening ??= this.#make().finally(() => {
      this.#opening = undefined
    })
    return await this.#opening
  }

  /** Runs a read or a write. When the bucket is missing, makes it and tries once more. Never rejects. */
  async ask<Value>(operation: (opened: OpenBucket) => Promise<Value>): Promise<StoreAnswer<Value>> {
    return (await withinTime(this.#ask(operation), OPERATION_TIMEOUT_MS)) ?? UNANSWERED
  }

  async #ask<Value>(operation: (opened: OpenBucket) => Promise<Value>): Promise<StoreAnswer<Value>> {
    if (!(await this.ready())) return UNANSWERED
    const answer = await this.#try(operation)
    if (!isBucketMissing(answer)) return answer
    return (await this.again()) ? await this.#try(operation) : answer
  }

  #try<Value>(operation: (opened: OpenBucket) => Promise<Value>): Promise<StoreAnswer<Value>> {
    const opened = this.#open
    if (opened === undefined) return Promise.resolve(UNANSWERED)
    return this.#settings.link.whileConnected<StoreAnswer<Value>>(
      () => storeAnswer(() => operation(opened)),
      UNANSWERED,
    )
  }

  async #make(): Promise<boolean> {
    clearTimeout(this.#retry)
    this.#retry = undefined
    const { link, options } = this.#settings
    const answer = await link.whileConnected<StoreAnswer<OpenBucket>>(
      () => storeAnswer(() => this.#client(options)),
      UNANSWERED,
    )
    if (answer.kind === 'done') return this.#opened(answer.value)
    return this.#failed(answer.kind === 'silent' ? SILENCE[answer.reason] : `STORE_${answer.code}`)
  }

  /** Makes the bucket when it is missing; an existing bucket is used as it is, whatever its settings. */
  async #client(options: KeyValueOptions): Promise<OpenBucket> {
    const js = this.#settings.link.connection.jetstream({ timeout: OPERATION_TIMEOUT_MS, checkAPI: false })
    const kv = await js.views.kv(this.name, {
      history: 1,
      max_bytes: options.maxBytes,
      storage: options.storage === 'file' ? StorageType.File : StorageType.Memory,
      // A direct get of a missing bucket has no answer at all; a normal get returns an error.
      allow_direct: false,
      ...(options.ttlMs === undefined ? {} : { ttl: options.ttlMs }),
    })
    return { kv, js, jsm: await js.jetstreamManager() }
  }

  #opened(opened: OpenBucket): boolean {
    if (this.#lastWarning !== '') this.#settings.logger.info({ bucket: this.name }, 'key-value store available')
    this.#lastWarning = ''
    this.#open = opened
    this.#notify()
    return true
  }

  #failed(code: string): boolean {
    const { link, logger, random } = this.#settings
    const wasOpen = this.#open !== undefined
    this.#open = undefined
    // The link reports the lost connection, and its return opens the bucket again.
    if (this.#gone || !link.connected) return false
    // One log line for each reason: a bus may never get a store.
    if (code !== this.#lastWarning) logger.warn({ bucket: this.name, code }, 'key-value store not available')
    this.#lastWarning = code
    // `again` never rejects and logs its own failures.
    this.#retry = setTimeout(() => void this.again(), RETRY_MIN_MS + random() * RETRY_JITTER_MS).unref()
    if (wasOpen) this.#notify()
    return false
  }

  #linkChanged(state: LinkState): void {
    clearTimeout(this.#retry)
    this.#retry = undefined
    this.#open = undefined
    this.#gone = state === 'gone'
    this.#notify()
    // The bus may have lost a bucket that it held in memory. `again` never rejects and logs its own failures.
    if (state === 'back') void this.again()
  }

  #notify(): void {
    for (const changed of [...this.#listeners]) changed()
  }
}

const SILENCE = { nobody: 'NO_STORE', 'too large': 'NO_STORE', failed: 'NO_ANSWER' } as const
