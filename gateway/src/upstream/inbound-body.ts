import type { UpstreamCode } from '../errors.ts'
import type { CallMemory } from '../memory/memory-account.ts'
import { withoutRest } from '../memory/without-rest.ts'

/** The reason why a body broke off: the error of its connection, or no room for what was read already. */
export type BodyFailure = UpstreamCode | 'OVERLOADED'

/** Takes a body as it arrives. `chunk` returns false to pause the body until `resume` is called. */
export type BodyConsumer = {
  chunk(bytes: Buffer): boolean
  end(): void
  failed(code: BodyFailure): void
}

/** The call to the LLM API, as far as its answer's body needs it. */
export type BodySource = {
  /** The call's part of the memory account. */
  readonly account: CallMemory
  pause(): void
  resume(): void
  abort(): void
  /** Tells how many milliseconds a new consumer took for the bytes that had waited for it. */
  noteConsumed(bytes: number, ms: number): void
}

/**
 * The most bytes kept without a consumer, in buffers that may be larger than their pieces; beyond them the connection is
 * paused until a consumer attaches.
 */
const unclaimedBytes = 64 * 1024
/**
 * The most chunks kept without a consumer. A segment of 64 KiB may hold 11,000 chunks, and a hundred answers may begin
 * in one turn of the event loop.
 */
const unclaimedChunks = 64

/**
 * An answer's body, kept until a consumer attaches. The consumer gets the bytes that arrived with the head at once, so
 * that a small answer leaves in one write. The kept bytes count in the memory of their call, since a call may wait for its
 * turn, or for the response rows, before it takes them.
 */
export class InboundBody {
  #source: BodySource
  #consumer: BodyConsumer | undefined
  #unclaimed: Buffer[] = []
  #bytes = 0
  /** The bytes of the buffers that the unclaimed pieces keep in memory. */
  #heldBytes = 0
  /** The parts of `#heldBytes` that count in the call's memory, and beside it. */
  #countedBytes = 0
  #spareBytes = 0
  #ended = false
  #isAborted = false
  #failure: BodyFailure | undefined

  constructor(source: BodySource) {
    this.#source = source
  }

  /** Returns the whole body where it arrived with the head: it can be sent with its length, in one write. */
  takeWhole(): Buffer | undefined {
    if (!this.#ended || this.#consumer !== undefined) return undefined
    const pieces = this.#takeUnclaimed()
    const [first = Buffer.alloc(0)] = pieces
    return pieces.length <= 1 ? first : Buffer.concat(pieces)
  }

  attach(consumer: BodyConsumer): void {
    this.#consumer = consumer
    const wantsMore = this.#bytes === 0 || this.#giveUnclaimed(consumer)
    if (this.#ended) this.#takeConsumer()?.end()
    else if (this.#failure !== undefined) this.#takeConsumer()?.failed(this.#failure)
    else if (wantsMore) this.#source.resume()
    else this.#source.pause()
  }

  #giveUnclaimed(consumer: BodyConsumer): boolean {
    const begun = performance.now()
    let wantsMore = true
    // The bytes don't count twice: the consumer counts them, and may have no room for them otherwise.
    for (const chunk of this.#takeUnclaimed()) {
      wantsMore = consumer.chunk(chunk)
      if (this.#isAborted) break
    }
    this.#source.noteConsumed(this.#bytes, performance.now() - begun)
    return wantsMore
  }

  resume(): void {
    this.#source.resume()
  }

  /** Ends the call to the LLM API, because nobody needs the body any more. */
  abort(): void {
    this.#isAborted = true
    this.#takeUnclaimed()
    this.#source.abort()
  }

  /** Called by the source with a piece of the body. */
  push(chunk: Buffer): void {
    if (this.#failure !== undefined) return
    if (this.#consumer !== undefined) {
      if (!this.#consumer.chunk(chunk)) this.#source.pause()
      return
    }
    this.#keep(withoutRest(chunk))
    if (this.#failure !== undefined) return
    const isFull = this.#heldBytes > unclaimedBytes || this.#unclaimed.length >= unclaimedChunks
    if (isFull || this.#countedBytes < this.#heldBytes) this.#source.pause()
  }

  #keep(piece: Buffer): void {
    const last = this.#unclaimed.at(-1)
    this.#unclaimed.push(piece)
    this.#bytes += piece.length
    // Pieces that were read at once share a buffer.
    if (piece.buffer !== last?.buffer) this.#count(piece.buffer.byteLength)
  }

  /** The reason why the body broke off; undefined while it goes on, and for a whole body. */
  get failure(): BodyFailure | undefined {
    return this.#failure
  }

  /** Without room one reading counts beside the account, because the calls of other routers would be refused. */
  #count(bytes: number): void {
    const { account } = this.#source
    this.#heldBytes += bytes
    if (account.hasRoom(bytes)) {
      account.add(bytes)
      this.#countedBytes += bytes
    } else if (account.takeSpare(bytes)) this.#spareBytes += bytes
    else {
      this.fail('OVERLOADED')
      this.abort()
    }
  }

  #takeUnclaimed(): readonly Buffer[] {
    const pieces = this.#unclaimed
    this.#unclaimed = []
    if (this.#countedBytes > 0) this.#source.account.release(this.#countedBytes)
    this.#countedBytes = 0
    if (this.#spareBytes > 0) this.#source.account.releaseSpare(this.#spareBytes)
    this.#spareBytes = 0
    return pieces
  }

  /** Called by the source once the body is whole. */
  end(): void {
    this.#ended = true
    this.#takeConsumer()?.end()
  }

  /** Called by the source when the connection broke. */
  fail(code: BodyFailure): void {
    if (this.#ended || this.#failure !== undefined) return
    this.#failure = code
    this.#takeConsumer()?.failed(code)
  }

  /**
   * Returns the consumer and forgets it: the connection keeps this object until the answer is read, and the consumer may
   * hold the whole body.
   */
  #takeConsumer(): BodyConsumer | undefined {
    const consumer = this.#consumer
    this.#consumer = undefined
    return consumer
  }
}
