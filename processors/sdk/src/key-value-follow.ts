import { jsonBytes, type KeyValueBucket } from './key-value-bucket.ts'
import type { KeyValueLink, LinkInbox, LinkMessage } from './key-value-link.ts'

export type FollowOptions = {
  readonly bucket: KeyValueBucket
  readonly link: KeyValueLink
  /** A message of the bucket and when it was written, milliseconds since the epoch. */
  readonly receive: (message: LinkMessage, revision: number, written: number) => void
  /** Everything that was there has been received. */
  readonly complete: () => void
  /** Nothing more comes: what there is has to be asked for anew. Called once. */
  readonly ended: () => void
}

const BATCH = 64
const NANOSECONDS_PER_MS = 1_000_000
const EXPIRES_MS = 30_000
const HEARTBEAT_MS = 1_000
/** So long without a message or a heartbeat, and somebody has forgotten us. */
const SILENCE_MS = 3_000
const INACTIVE_MS = 10_000
const HEARTBEAT = 100
const REQUEST_TIMEOUT = 408

/** The last message of every key, then each new one, until something is missing. */
export class BucketFollower {
  readonly #options: FollowOptions
  readonly #inbox: LinkInbox
  readonly #silence: NodeJS.Timeout
  #consumer = ''
  #asked = 0
  #sequence = 0
  #quiet = false
  #isComplete = false
  #isEnded = false

  constructor(options: FollowOptions) {
    this.#options = options
    this.#inbox = options.link.inbox((message) => this.#received(message))
    this.#silence = setTimeout(() => this.#end(), SILENCE_MS).unref()
    // Has no failure of its own.
    void this.#start()
  }

  /** Ends it without a word. */
  close(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    clearTimeout(this.#silence)
    this.#inbox.close()
    const { link, bucket } = this.#options
    // The bus forgets it after a while anyway. Never rejects.
    if (this.#consumer !== '') void link.request(consumerSubject('DELETE', bucket, this.#consumer), new Uint8Array())
  }

  async #start(): Promise<void> {
    const { bucket } = this.#options
    const body = jsonBytes({ stream_name: bucket.stream, config: consumerConfig(bucket.prefix) })
    const answer = await bucket.ask(`$JS.API.CONSUMER.CREATE.${bucket.stream}`, body)
    if (this.#isEnded) return
    const name = answer.kind === 'done' ? answer.fields.get('name') : undefined
    if (answer.kind !== 'done' || typeof name !== 'string') {
      this.#end()
      return
    }
    this.#consumer = name
    if (answer.fields.get('num_pending') === 0) this.#complete()
    this.#ask()
  }

  #ask(): void {
    const { bucket } = this.#options
    const expires = EXPIRES_MS * NANOSECONDS_PER_MS
    this.#asked = BATCH
    this.#inbox.ask(
      consumerSubject('MSG.NEXT', bucket, this.#consumer),
      jsonBytes({ batch: BATCH, expires, idle_heartbeat: HEARTBEAT_MS * NANOSECONDS_PER_MS }),
    )
  }

  #received(message: LinkMessage): void {
    if (this.#isEnded) return
    this.#silence.refresh()
    switch (message.status) {
      case 0:
        this.#take(message)
        break
      case HEARTBEAT:
        this.#heartbeat()
        break
      case REQUEST_TIMEOUT:
        this.#ask()
        break
      default:
        this.#end()
    }
  }

  #take(message: LinkMessage): void {
    const place = streamPlace(message.reply)
    if (place === undefined || place.sequence !== this.#sequence + 1) {
      // A message that is missing may have been the last word about a key.
      this.#end()
      return
    }
    this.#sequence = place.sequence
    this.#quiet = false
    this.#options.receive(message, place.revision, place.written)
    if (place.pending === 0) this.#complete()
    this.#asked -= 1
    if (this.#asked === 0) this.#ask()
  }

  /** Messages that were to come may be deleted first: a whole interval without any says the same as the last one. */
  #heartbeat(): void {
    if (this.#quiet) this.#complete()
    this.#quiet = true
  }

  #complete(): void {
    if (this.#isComplete) return
    this.#isComplete = true
    this.#options.complete()
  }

  #end(): void {
    if (this.#isEnded) return
    this.close()
    this.#options.ended()
  }
}

function consumerConfig(prefix: string): object {
  return {
    deliver_policy: 'last_per_subject',
    filter_subject: `${prefix}>`,
    ack_policy: 'none',
    inactive_threshold: INACTIVE_MS * NANOSECONDS_PER_MS,
    mem_storage: true,
    num_replicas: 1,
  }
}

function consumerSubject(verb: 'MSG.NEXT' | 'DELETE', bucket: KeyValueBucket, consumer: string): string {
  return `$JS.API.CONSUMER.${verb}.${bucket.stream}.${consumer}`
}

type StreamPlace = {
  readonly revision: number
  /** Counts what this consumer was sent. */
  readonly sequence: number
  readonly written: number
  readonly pending: number
}

/** `$JS.ACK[.<domain>.<account>].<stream>.<consumer>.<delivered>.<revision>.<sequence>.<ns>.<pending>[.<token>]`. */
function streamPlace(reply: string): StreamPlace | undefined {
  const parts = reply.split('.')
  if (parts[0] !== '$JS' || parts[1] !== 'ACK' || parts.length < 9) return undefined
  const first = parts.length === 9 ? 5 : 7
  const [revision, sequence, nanoseconds, pending] = parts.slice(first, first + 4).map(Number)
  if (!Number.isSafeInteger(revision) || !Number.isSafeInteger(sequence)) return undefined
  if (revision === undefined || sequence === undefined || nanoseconds === undefined) return undefined
  return { revision, sequence, written: nanoseconds / NANOSECONDS_PER_MS, pending: pending ?? 0 }
}
