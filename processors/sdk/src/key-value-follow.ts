import { AckPolicy, ConsumerDebugEvents, type ConsumerMessages, DeliverPolicy, type JsMsg, nanos } from 'nats'
import type { KeyValueEntry } from './key-value.ts'
import type { KeyValueBucket } from './key-value-bucket.ts'

/** The last word about a key. */
export type BucketChange = {
  readonly token: string
  readonly kind: 'value' | 'deleted'
  readonly entry: KeyValueEntry
  /** Milliseconds since the epoch. */
  readonly written: number
}

export type FollowOptions = {
  readonly bucket: KeyValueBucket
  readonly receive: (change: BucketChange) => void
  /** Everything that was there has been received. */
  readonly complete: () => void
  /** Nothing more comes: what there is has to be asked for anew. Called once. */
  readonly ended: () => void
}

const BATCH = 64
const EXPIRES_MS = 30_000
const HEARTBEAT_MS = 1_000
const INACTIVE_MS = 10_000
/** Messages that were to come may be deleted first: so long without any says the same as the last one. */
const QUIET_MS = 2_000
const NANOSECONDS_PER_MS = 1_000_000
/** The header that tells the mark of a deleted key from a value. */
const OPERATION_HEADER = 'KV-Operation'
/** What the client tells of its work, and nothing else. */
const ORDINARY: ReadonlySet<string> = new Set(Object.values(ConsumerDebugEvents))

/** The last message of every key, then each new one, until something is missing. */
export class BucketFollower {
  readonly #options: FollowOptions
  #messages: ConsumerMessages | undefined
  #quiet: NodeJS.Timeout | undefined
  #sequence = 0
  #isComplete = false
  #isEnded = false

  constructor(options: FollowOptions) {
    this.#options = options
    // Has no failure of its own.
    void this.#start()
  }

  /** Ends it without a word. */
  close(): void {
    this.#isEnded = true
    clearTimeout(this.#quiet)
    // The bus forgets the consumer after a while.
    this.#messages?.stop()
  }

  async #start(): Promise<void> {
    const { bucket } = this.#options
    const answer = await bucket.ask(async ({ js, jsm }) => {
      const { name, num_pending: pending } = await jsm.consumers.add(bucket.stream, {
        deliver_policy: DeliverPolicy.LastPerSubject,
        filter_subject: `${bucket.prefix}>`,
        ack_policy: AckPolicy.None,
        inactive_threshold: nanos(INACTIVE_MS),
        mem_storage: true,
        num_replicas: 1,
      })
      const consumer = await js.consumers.get(bucket.stream, name)
      const messages = await consumer.consume({
        max_messages: BATCH,
        expires: EXPIRES_MS,
        idle_heartbeat: HEARTBEAT_MS,
        // Else the client asks for the consumer after each disturbance, and writes to stderr where the connection has ended.
        bind: true,
        callback: (message) => this.#take(message),
      })
      return { messages, pending }
    })
    if (answer.kind !== 'done') {
      this.#end()
      return
    }
    const { messages, pending } = answer.value
    if (this.#isEnded) {
      messages.stop()
      return
    }
    this.#messages = messages
    if (pending === 0) this.#complete()
    else this.#quiet ??= setTimeout(() => this.#complete(), QUIET_MS)
    await this.#followStatus(messages)
  }

  async #followStatus(messages: ConsumerMessages): Promise<void> {
    for await (const { type } of await messages.status()) if (!ORDINARY.has(type)) break
    this.#end()
  }

  #take(message: JsMsg): void {
    if (this.#isEnded) return
    const { deliverySequence, pending } = message.info
    if (deliverySequence !== this.#sequence + 1) {
      // A message that is missing may have been the last word about a key.
      this.#end()
      return
    }
    this.#sequence = deliverySequence
    if (!this.#isComplete) {
      clearTimeout(this.#quiet)
      this.#quiet = setTimeout(() => this.#complete(), QUIET_MS)
    }
    this.#options.receive(changeOf(message, this.#options.bucket.prefix))
    if (pending === 0) this.#complete()
  }

  #complete(): void {
    clearTimeout(this.#quiet)
    if (this.#isComplete || this.#isEnded) return
    this.#isComplete = true
    this.#options.complete()
  }

  #end(): void {
    if (this.#isEnded) return
    this.close()
    this.#options.ended()
  }
}

function changeOf({ subject, seq: revision, data: value, headers, info }: JsMsg, prefix: string): BucketChange {
  return {
    token: subject.slice(prefix.length),
    kind: headers?.has(OPERATION_HEADER) === true ? 'deleted' : 'value',
    entry: { value, revision },
    written: info.timestampNanos / NANOSECONDS_PER_MS,
  }
}
