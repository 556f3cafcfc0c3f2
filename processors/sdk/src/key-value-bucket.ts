import { type JetStreamClient, type JetStreamManager, type KV, StorageType } from 'nats'
import type { KeyValueOptions } from './key-value.ts'
import { isBucketMissing, type StoreAnswer, storeAnswer } from './key-value-answer.ts'
import type { KeyValueLink, LinkState } from './key-value-link.ts'
import type { Logger } from './logger.ts'
import { withinTime } from './wait.ts'

export type BucketOptions = {
  readonly link: KeyValueLink
  readonly options: KeyValueOptions
  readonly logger: Logger
  /** 0 ≤ n < 1; spreads the attempts of many clients. */
  readonly random: () => number
}

/** The client's own parts, for a bucket that is there. */
export type Opened = { readonly kv: KV; readonly js: JetStreamClient; readonly jsm: JetStreamManager }

/** How long one operation may take in all. */
const OPERATION_TIMEOUT_MS = 2_000
const RETRY_MIN_MS = 1_000
const RETRY_JITTER_MS = 1_000
const UNANSWERED = { kind: 'silent', reason: 'failed' } as const

/** The stream behind a bucket: made where it is missing, looked for as long as the bus has no store. */
export class KeyValueBucket {
  readonly name: string
  readonly stream: string
  /** What the bus asks for keys: `$KV.<bucket>.<key>`. */
  readonly prefix: string
  readonly #settings: BucketOptions
  readonly #listeners = new Set<() => void>()
  #open: Opened | undefined
  #gone = false
  #opening: Promise<boolean> | undefined
  #retry: NodeJS.Timeout | undefined
  #complaint = ''

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

  /** Called each time the bucket is there again, is lost, and when the connection has ended. */
  listen(changed: () => void): () => void {
    this.#listeners.add(changed)
    return () => this.#listeners.delete(changed)
  }

  /** Whether the bucket is there; asks the bus unless it said a moment ago that it has no store. */
  async ready(): Promise<boolean> {
    if (this.#open !== undefined) return true
    if (this.#gone || !this.#settings.link.connected) return false
    return this.#retry === undefined ? await this.again() : false
  }

  /** Makes the bucket, again where the bus has lost it. */
  async again(): Promise<boolean> {
    this.#opening ??= this.#make().finally(() => {
      this.#opening = undefined
    })
    return await this.#opening
  }

  /** Asks the store about the bucket or writes to it; makes the bucket again, once, where there is none. Never rejects. */
  async ask<Value>(operation: (opened: Opened) => Promise<Value>): Promise<StoreAnswer<Value>> {
    return (await withinTime(this.#ask(operation), OPERATION_TIMEOUT_MS)) ?? UNANSWERED
  }

  async #ask<Value>(operation: (opened: Opened) => Promise<Value>): Promise<StoreAnswer<Value>> {
    if (!(await this.ready())) return UNANSWERED
    const answer = await this.#try(operation)
    if (!isBucketMissing(answer)) return answer
    return (await this.again()) ? await this.#try(operation) : answer
  }

  #try<Value>(operation: (opened: Opened) => Promise<Value>): Promise<StoreAnswer<Value>> {
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
    const answer = await link.whileConnected<StoreAnswer<Opened>>(
      () => storeAnswer(() => this.#client(options)),
      UNANSWERED,
    )
    if (answer.kind === 'done') return this.#opened(answer.value)
    return this.#failed(answer.kind === 'silent' ? SILENCE[answer.reason] : `STORE_${answer.code}`)
  }

  /** Makes the bucket where there is none; one made with other settings, or by another program, is used as it is. */
  async #client(options: KeyValueOptions): Promise<Opened> {
    const js = this.#settings.link.connection.jetstream({ timeout: OPERATION_TIMEOUT_MS, checkAPI: false })
    const kv = await js.views.kv(this.name, {
      history: 1,
      max_bytes: options.maxBytes,
      storage: options.storage === 'file' ? StorageType.File : StorageType.Memory,
      // Not the store's direct way to a message: that one says nothing at all where the bucket is gone.
      allow_direct: false,
      ...(options.ttlMs === undefined ? {} : { ttl: options.ttlMs }),
    })
    return { kv, js, jsm: await js.jetstreamManager() }
  }

  #opened(opened: Opened): boolean {
    if (this.#complaint !== '') this.#settings.logger.info({ bucket: this.name }, 'key-value store available')
    this.#complaint = ''
    this.#open = opened
    this.#tell()
    return true
  }

  #failed(code: string): boolean {
    const { link, logger, random } = this.#settings
    const wasOpen = this.#open !== undefined
    this.#open = undefined
    // The connection says itself that it was lost, and comes back here with its return.
    if (this.#gone || !link.connected) return false
    // Once a reason: a bus without a store may stay so for ever.
    if (code !== this.#complaint) logger.warn({ bucket: this.name, code }, 'key-value store not available')
    this.#complaint = code
    // Never rejects, and says itself what went wrong.
    this.#retry = setTimeout(() => void this.again(), RETRY_MIN_MS + random() * RETRY_JITTER_MS).unref()
    if (wasOpen) this.#tell()
    return false
  }

  #linkChanged(state: LinkState): void {
    clearTimeout(this.#retry)
    this.#retry = undefined
    this.#open = undefined
    this.#gone = state === 'gone'
    this.#tell()
    // What the bus holds in memory is lost with it. Never rejects, and says itself what went wrong.
    if (state === 'back') void this.again()
  }

  #tell(): void {
    for (const changed of [...this.#listeners]) changed()
  }
}

const SILENCE = { nobody: 'NO_STORE', 'too large': 'NO_STORE', failed: 'NO_ANSWER' } as const
