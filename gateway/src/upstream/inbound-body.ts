import type { UpstreamCode } from '../errors.ts'

/** Takes a body as it arrives. `chunk` returns false when the body is to pause until `resume` is called on it. */
export type BodyConsumer = {
  chunk(bytes: Buffer): boolean
  end(): void
  failed(code: UpstreamCode): void
}

/** The part of its connection that a body needs. */
export type BodySource = { pause(): void; resume(): void; abort(): void }

/** More than this unclaimed, and the connection is paused until somebody attaches. */
const unclaimedBytes = 64 * 1024

/**
 * The body of an answer, kept until a consumer attaches. The consumer gets the bytes that came with the head at once, so that
 * a small answer leaves in one write.
 */
export class InboundBody {
  #source: BodySource
  #consumer: BodyConsumer | undefined
  #unclaimed: Buffer[] = []
  #bytes = 0
  #ended = false
  #failure: UpstreamCode | undefined

  constructor(source: BodySource) {
    this.#source = source
  }

  /** The whole body where it arrived with the head: it can be sent with its length, in one write. */
  takeWhole(): Buffer | undefined {
    if (!this.#ended || this.#consumer !== undefined) return undefined
    const [first = Buffer.alloc(0)] = this.#unclaimed
    return this.#unclaimed.length <= 1 ? first : Buffer.concat(this.#unclaimed)
  }

  attach(consumer: BodyConsumer): void {
    this.#consumer = consumer
    let wantsMore = true
    for (const chunk of this.#unclaimed) wantsMore = consumer.chunk(chunk)
    this.#unclaimed = []
    if (this.#ended) this.#takeConsumer()?.end()
    else if (this.#failure !== undefined) this.#takeConsumer()?.failed(this.#failure)
    else if (wantsMore) this.#source.resume()
    else this.#source.pause()
  }

  resume(): void {
    this.#source.resume()
  }

  abort(): void {
    this.#source.abort()
  }

  /** For the connection: a piece arrived. */
  push(chunk: Buffer): void {
    if (this.#failure !== undefined) return
    if (this.#consumer !== undefined) {
      if (!this.#consumer.chunk(chunk)) this.#source.pause()
      return
    }
    this.#unclaimed.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes > unclaimedBytes) this.#source.pause()
  }

  /** For the connection: the body is whole. */
  end(): void {
    this.#ended = true
    this.#takeConsumer()?.end()
  }

  /** For the connection: it broke. */
  fail(code: UpstreamCode): void {
    if (this.#ended || this.#failure !== undefined) return
    this.#failure = code
    this.#takeConsumer()?.failed(code)
  }

  /** Drops the consumer, which may hold all of the body: the connection refers to this body until the answer is read. */
  #takeConsumer(): BodyConsumer | undefined {
    const consumer = this.#consumer
    this.#consumer = undefined
    return consumer
  }
}
