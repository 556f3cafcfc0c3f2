import { AckPolicy, ConsumerDebugEvents, type ConsumerMessages, DeliverPolicy, type JsMsg, nanos } from 'nats'
import type { KeyValueBucket } from './bucket.ts'
import type { KeyValueEntry } from './key-value.ts'

/** The newest message of a key. */
export type BucketChange = {
  readonly token: string
  readonly kind: 'value' | 'deleted'
  readonly entry: KeyValueEntry
  /** Milliseconds since the epoch. */
  readonly written: number
}

export type FollowOptions = {
  readonly bucket: Pick<KeyValueBucket, 'stream' | 'prefix' | 'ask'>
  readonly receive: (change: BucketChange) => void
  /** Called once all entries that existed at the start have been received. */
  readonly complete: () => void
  /** Called once when no more changes arrive; the caller must start a new follower. */
  readonly ended: () => void
}

const BATCH = 64
const EXPIRES_MS = 30_000
const HEARTBEAT_MS = 1_000
const INACTIVE_MS = 10_000
/**
 * Pending messages may be deleted before they are delivered. After this long without a message the start counts as
 * complete.
 */
const QUIET_MS = 2_000
const NANOSECONDS_PER_MS = 1_000_000
/** The header that distinguishes a deletion from a value. */
const OPERATION_HEADER = 'KV-Operation'
/** The client's status events that need no reaction. */
const ORDINARY: ReadonlySet<string> = new Set(Object.values(ConsumerDebugEvents))

/** Delivers the newest message of every key, then each new message, until a message is missing. */
export class BucketFollower {
  readonly #options: FollowOptions
  #messages: ConsumerMessages | undefined
  #quiet: NodeJS.Timeout | undefined
  #sequence = 0
  #isComplete = false
  #isEnded = false

  constructor(options: FollowOptions) {
    this.#options = options
    // `#start` never rejects.
    void this.#start()
  }

  /** Stops the follower without calling `ended`. */
  close(): void {
    this.#isEnded = true
    clearTimeout(this.#quiet)
    // The bus forgets the consumer 10 s later.
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
        // Without `bind` the client asks for the consumer after each disturbance, and writes to stderr after the
        // connection ended.
        bind: true,
        callback: (message) => this.#take(message),
      })
      // The limit of `ask`, or a lost connection, may have ended the follower meanwhile.
      if (this.#isEnded) messages.stop()
      this.#messages = messages
      return { messages, pending }
    })
    if (answer.kind !== 'done') {
      this.#end()
      return
    }
    if (this.#isEnded) return
    const { messages, pending } = answer.value
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
      // The missing message may have been the newest of a key.
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
