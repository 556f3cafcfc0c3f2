import type { Reply } from '../http/reply.ts'
import type { CallMemory } from '../memory/memory-account.ts'
import { withoutRest } from '../memory/without-rest.ts'
import type { BodyConsumer, BodyFailure, InboundBody } from '../upstream/inbound-body.ts'
import type { CancelSignal } from '../upstream/upstream.ts'
import type { WorkQueue } from '../work/work-queue.ts'
import type { AnswerIntake } from './answer-intake.ts'

/** The outcome of passing a body to the caller. */
export type PassOutcome =
  /** `last`: the last piece, which was held back. */
  | { readonly kind: 'complete' | 'caller gone'; readonly last?: Uint8Array | undefined }
  | { readonly kind: 'broken'; readonly code: BodyFailure }

export type PassOptions = {
  readonly intake: Pick<AnswerIntake, 'add' | 'problem'>
  readonly memory: CallMemory
  /** The caller of `passThrough` ends the answer, and also sends the last piece where the length is known. */
  readonly holdsEnd: boolean
  readonly hasLength: boolean
  readonly work: WorkQueue
  readonly signal: CancelSignal
  /** The time in milliseconds that a caller may leave its answer unread. */
  readonly stallTimeoutMs: number
}

/** The most bytes that a connection reads at once: a call without room for them waits for its caller. */
const READ_BYTES = 64 * 1024
/**
 * The most pieces that wait for the caller at once. The bytes of a reading may be 10,900 chunks of one byte, whose objects
 * took up to 13 MB. Events of a fast LLM API come in some hundred pieces.
 */
const MOST_PIECES = 128
/** The memory of a waiting piece beside its bytes: node keeps a chunk's size, bytes and line ends as entries. */
const PIECE_BYTES = 768

/**
 * Passes the answer's body to the caller as it arrives and shows each piece to the intake. The body pauses while the
 * caller reads slowly, and while the intake is over its share of the main thread. The memory of the pieces that wait for
 * the caller is counted. Behind a piece that waits, and where the memory account has no room, the body goes on once the
 * caller has taken the last piece. A caller that reads nothing for `stallTimeoutMs` is cut off, and the call upstream
 * ends. `reply` already has its head.
 */
export function passThrough(body: InboundBody, reply: Reply, options: PassOptions): Promise<PassOutcome> {
  return new Passing(body, reply, options).begin()
}

class Passing implements BodyConsumer {
  readonly #body: InboundBody
  readonly #reply: Reply
  readonly #options: PassOptions
  readonly #outcome = Promise.withResolvers<PassOutcome>()
  readonly #holdsPieces: boolean
  #isSettled = false
  #hasBegun = false
  /** The event after which the caller has taken its bytes; undefined while none is awaited. */
  #awaited: 'drain' | 'taken' | undefined
  /** The bytes that wait for the caller and that the call's memory counts. */
  #counted = 0
  /** The bytes that wait for the caller and that count beside the account. */
  #spare = 0
  /** The pieces that wait for the caller, and the largest buffer of which one of them is a view. */
  #pieces = 0
  #largestBuffer = 0
  /** True while the intake is over its share of the main thread. */
  #isBehind = false
  #stall: NodeJS.Timeout | undefined
  /** The last piece, where the caller of `passThrough` sends it. */
  #held: Buffer | undefined

  constructor(body: InboundBody, reply: Reply, options: PassOptions) {
    this.#body = body
    this.#reply = reply
    this.#options = options
    this.#holdsPieces = options.holdsEnd && options.hasLength
  }

  begin(): Promise<PassOutcome> {
    this.#options.signal.onCancel(() => this.#settle(this.#ended('caller gone')))
    this.#reply.onDrain(() => this.#noteTaken('drain'))
    this.#body.attach(this)
    if (!this.#hasBegun && !this.#isSettled) this.#reply.flushHead()
    return this.#outcome.promise
  }

  chunk(arrived: Buffer): boolean {
    this.#hasBegun = true
    // Behind waiting bytes the piece is kept, by the record's copy, too: both share one copy of the piece.
    const bytes = this.#reply.isBehind ? withoutRest(arrived) : arrived
    const next = this.#holdsPieces ? this.#held : bytes
    if (this.#holdsPieces) this.#held = bytes
    // The caller may have left before the body was attached: nothing would stop the watch of what is written then.
    if (next !== undefined && !this.#isSettled) this.#write(next)
    if (!this.#options.intake.add(bytes)) {
      this.#isBehind = true
      this.#options.work.resume(this.#options.memory.router.path, () => this.#catchUp())
    }
    if (this.#awaited !== undefined) this.#countUnread()
    return this.#awaited === undefined && !this.#isBehind
  }

  end(): void {
    if (!this.#options.holdsEnd) this.#reply.end(undefined)
    this.#settle(this.#ended('complete'))
  }

  failed(code: BodyFailure): void {
    this.#reply.destroy()
    // The gateway ends the call upstream when the caller leaves; the LLM API isn't at fault then.
    this.#settle(this.#options.signal.cancelled ? this.#ended('caller gone') : { kind: 'broken', code })
  }

  #write(piece: Buffer): void {
    const { memory, stallTimeoutMs } = this.#options
    const reply = this.#reply
    const isBehind = reply.isBehind
    this.#notePiece(piece)
    if (!isBehind && this.#pieces < MOST_PIECES && memory.hasRoom(READ_BYTES)) {
      if (reply.write(piece)) return
      this.#awaited = 'drain'
    } else {
      reply.writeAlone(withoutRest(piece), () => this.#noteTaken('taken'))
      this.#awaited = 'taken'
    }
    clearInterval(this.#stall)
    this.#stall = reply.watchStall(stallTimeoutMs, () => this.#giveUp())
  }

  #notePiece({ buffer }: Buffer): void {
    if (this.#reply.unsentBytes === 0) {
      this.#pieces = 0
      this.#largestBuffer = 0
    }
    this.#pieces += 1
    this.#largestBuffer = Math.max(this.#largestBuffer, buffer.byteLength)
  }

  /**
   * Counts the memory of the pieces that wait for the caller. Where the record's copy counts the same bytes, only the
   * memory beside them counts. Without room, one piece counts beside the account: above its limit the account would
   * refuse the calls of other routers. Without room there, too, the answer breaks off.
   */
  #countUnread(): void {
    const { memory, intake } = this.#options
    this.#releaseUnread()
    const unsent = this.#reply.unsentBytes
    const beside = Math.max(0, this.#largestBuffer - unsent) + this.#pieces * PIECE_BYTES
    const bytes = beside + (intake.problem === undefined ? 0 : unsent + (this.#held?.length ?? 0))
    if (memory.hasRoom(bytes)) {
      this.#counted = bytes
      memory.add(bytes)
    } else if (memory.takeSpare(bytes)) this.#spare = bytes
    else {
      this.#settle({ kind: 'broken', code: 'OVERLOADED' })
      this.#reply.destroy()
      this.#body.abort()
    }
  }

  #releaseUnread(): void {
    const { memory } = this.#options
    memory.release(this.#counted)
    if (this.#spare > 0) memory.releaseSpare(this.#spare)
    this.#counted = 0
    this.#spare = 0
  }

  #noteTaken(by: 'drain' | 'taken'): void {
    // `finish` sets the memory of a settled call.
    if (this.#awaited !== by || this.#isSettled) return
    clearInterval(this.#stall)
    this.#awaited = undefined
    this.#releaseUnread()
    this.#goOn()
  }

  #catchUp(): void {
    this.#isBehind = false
    this.#goOn()
  }

  #goOn(): void {
    if (this.#awaited === undefined && !this.#isBehind && !this.#isSettled) this.#body.resume()
  }

  #giveUp(): void {
    this.#settle(this.#ended('caller gone'))
    this.#reply.destroy()
    this.#body.abort()
  }

  #ended(kind: 'complete' | 'caller gone'): PassOutcome {
    return { kind, last: this.#held }
  }

  #settle(outcome: PassOutcome): void {
    if (this.#isSettled) return
    this.#isSettled = true
    clearInterval(this.#stall)
    this.#outcome.resolve(outcome)
  }
}
