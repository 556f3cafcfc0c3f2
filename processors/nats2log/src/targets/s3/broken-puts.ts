import { type HttpOutcome, isSuccess } from '../http/http-target.ts'

/** The breaks in a row after which the size of an object may be their reason. */
const BREAKS = 5
/** More than the objects of two batches. */
const MOST = 10_000
/** The codes of a connection that broke while the object was sent, or had no answer. An outage has others, too. */
const BROKEN: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET', 'ECONNABORTED', 'UND_ERR_SOCKET', 'TIMEOUT'])

type Breaks = {
  readonly count: number
  readonly bytes: number
  /** A record of the object arrived alone since the first of these breaks. */
  readonly hasOneArrived: boolean
}

const NONE: Breaks = { count: 0, bytes: 0, hasOneArrived: false }

/**
 * The objects whose connections broke again and again. A server, or a proxy before it, may break the connection of a
 * request that is too large, instead of answering 413: the same object would be sent for ever, and all others wait.
 */
export class BrokenPuts {
  readonly #objects = new Map<string, Breaks>()
  /** The smallest size at which an object was divided. Infinite once the server stores an object of this size again. */
  #largeBytes = Number.POSITIVE_INFINITY

  /** Returns whether the size of an object may be the reason for which its connections break. */
  mayBeTooLarge(name: string): boolean {
    const { count, bytes } = this.#objects.get(name) ?? NONE
    return count >= BREAKS || bytes >= this.#largeBytes
  }

  /** Notes the outcome of a PUT of so many bytes. */
  note(name: string, bytes: number, outcome: HttpOutcome): void {
    const { count, hasOneArrived } = this.#objects.get(name) ?? NONE
    this.#objects.delete(name)
    if (outcome.kind === 'failed' && BROKEN.has(outcome.code)) {
      this.#objects.set(name, { count: count + 1, bytes, hasOneArrived })
      const [oldest] = this.#objects.keys()
      if (this.#objects.size > MOST && oldest !== undefined) this.#objects.delete(oldest)
    } else if (outcome.kind === 'answered' && isSuccess(outcome.status) && bytes >= this.#largeBytes) {
      this.#largeBytes = Number.POSITIVE_INFINITY
    }
  }

  /** Notes that a record of an object arrived alone. */
  oneArrived(name: string): void {
    const breaks = this.#objects.get(name)
    if (breaks !== undefined) this.#objects.set(name, { ...breaks, hasOneArrived: true })
  }

  /** Returns whether a record of an object arrived alone, and the object's connections broke before and after that. */
  hasOneArrived(name: string): boolean {
    return this.#objects.get(name)?.hasOneArrived ?? false
  }

  /** Forgets an object, because the server is away or has it. */
  forget(name: string): void {
    this.#objects.delete(name)
  }

  /** Notes that an object is divided: larger ones are divided after one break. */
  divided(name: string): void {
    this.#largeBytes = Math.min(this.#largeBytes, this.#objects.get(name)?.bytes ?? this.#largeBytes)
  }
}
