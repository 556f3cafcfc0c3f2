import type { KeyValueOptions } from './key-value.ts'
import { isBucketMissing, STREAM_NAME_IN_USE, type StoreAnswer, storeAnswer } from './key-value-answer.ts'
import { type KeyValueLink, OPERATION_TIMEOUT_MS } from './key-value-link.ts'
import type { Logger } from './logger.ts'
import { withinTime } from './wait.ts'

export type BucketOptions = {
  readonly link: KeyValueLink
  readonly options: KeyValueOptions
  readonly logger: Logger
  /** 0 ≤ n < 1; spreads the attempts of many clients. */
  readonly random: () => number
}

const RETRY_MIN_MS = 1_000
const RETRY_JITTER_MS = 1_000
const NANOSECONDS_PER_MS = 1_000_000
const UNANSWERED: StoreAnswer = { kind: 'silent', reason: 'failed' }

/** The stream behind a bucket: made where it is missing, looked for as long as the bus has no store. */
export class KeyValueBucket {
  readonly name: string
  readonly stream: string
  /** What the bus asks for keys: `$KV.<bucket>.<key>`. */
  readonly prefix: string
  readonly #settings: BucketOptions
  readonly #listeners = new Set<() => void>()
  #open = false
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
    return this.#open
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
    if (this.#open) return true
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

  /** Asks the store about the bucket or writes to it; makes the bucket again, once, where there is none. */
  async ask(...request: Parameters<KeyValueLink['request']>): Promise<StoreAnswer> {
    return (await withinTime(this.#ask(request), OPERATION_TIMEOUT_MS)) ?? UNANSWERED
  }

  async #ask(request: Parameters<KeyValueLink['request']>): Promise<StoreAnswer> {
    const { link } = this.#settings
    if (!(await this.ready())) return UNANSWERED
    const answer = storeAnswer(await link.request(...request))
    if (!isBucketMissing(answer)) return answer
    return (await this.again()) ? storeAnswer(await link.request(...request)) : answer
  }

  async #make(): Promise<boolean> {
    clearTimeout(this.#retry)
    this.#retry = undefined
    const { link, options } = this.#settings
    const config = streamConfig(this.stream, this.prefix, options)
    const answer = storeAnswer(await link.request(`$JS.API.STREAM.CREATE.${this.stream}`, jsonBytes(config)))
    if (answer.kind === 'done') return this.#opened()
    // Made with other settings, or by another program.
    if (answer.kind === 'refused' && answer.code === STREAM_NAME_IN_USE) return this.#opened()
    return this.#failed(answer.kind === 'silent' ? SILENCE[answer.reason] : `STORE_${answer.code}`)
  }

  #opened(): boolean {
    if (this.#complaint !== '') this.#settings.logger.info({ bucket: this.name }, 'key-value store available')
    this.#complaint = ''
    this.#open = true
    this.#tell()
    return true
  }

  #failed(code: string): boolean {
    const { link, logger, random } = this.#settings
    const wasOpen = this.#open
    this.#open = false
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

  #linkChanged(state: 'lost' | 'back' | 'gone'): void {
    clearTimeout(this.#retry)
    this.#retry = undefined
    this.#open = false
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

function streamConfig(name: string, prefix: string, options: KeyValueOptions): object {
  return {
    name,
    subjects: [`${prefix}>`],
    retention: 'limits',
    storage: options.storage,
    num_replicas: 1,
    max_msgs_per_subject: 1,
    max_bytes: options.maxBytes,
    max_msgs: -1,
    max_msg_size: -1,
    max_consumers: -1,
    max_age: (options.ttlMs ?? 0) * NANOSECONDS_PER_MS,
    // A full bucket refuses what is new: it must not forget others' entries.
    discard: 'new',
    deny_delete: true,
    allow_rollup_hdrs: true,
    allow_direct: true,
  }
}

export function jsonBytes(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}
