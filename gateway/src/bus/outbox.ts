import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * The messages on their way to the bus. They are sent at once, or in order once the bus has taken enough of the earlier
 * messages. Without this bound, a server that stops reading would fill this process's socket buffer.
 */
export class Outbox {
  readonly #limits: OutboxLimits
  readonly #flush: () => Promise<boolean>
  readonly #nowMs: () => number
  readonly #waiting = new Map<string, QueuedMessage>()
  #waitingBytes = 0
  /** The bytes sent and not confirmed by a PONG yet. */
  #sentBytes = 0
  #isFlushing = false

  constructor(limits: OutboxLimits, flush: () => Promise<boolean>, nowMs: () => number = () => performance.now()) {
    this.#limits = limits
    this.#flush = flush
    this.#nowMs = nowMs
  }

  /** Sends or queues a message; returns false where the queue is full. */
  add(token: string, message: QueuedMessage): boolean {
    if (this.#waiting.size === 0 && !this.#isFull) {
      this.#send(message)
      return true
    }
    const bytes = message.bytes + WAITING_OVERHEAD_BYTES
    if (this.#waitingBytes + bytes > this.#limits.waitingBytes) return false
    this.#waiting.set(token, message)
    this.#waitingBytes += bytes
    return true
  }

  /** Removes a queued message whose answer is no longer awaited. */
  drop(token: string): void {
    const message = this.#waiting.get(token)
    if (message === undefined) return
    this.#waiting.delete(token)
    this.#waitingBytes -= message.bytes + WAITING_OVERHEAD_BYTES
  }

  /** Forgets all messages of the last connection. */
  clear(): void {
    this.#sentBytes = 0
    this.#waiting.clear()
    this.#waitingBytes = 0
  }

  get #isFull(): boolean {
    return this.#sentBytes >= this.#limits.sentBytes
  }

  #send({ bytes, send }: QueuedMessage): void {
    this.#sentBytes += bytes
    send()
    if (this.#sentBytes >= this.#limits.pingBytes && !this.#isFlushing) void this.#flushSent() // never rejects: flush doesn't
  }

  async #flushSent(): Promise<void> {
    this.#isFlushing = true
    while (this.#sentBytes >= this.#limits.pingBytes) {
      const bytes = this.#sentBytes
      if (!(await this.#flush())) break
      this.#sentBytes = Math.max(0, this.#sentBytes - bytes)
      await this.#sendWaiting()
    }
    this.#isFlushing = false
  }

  /** Sends waiting messages until the bus is behind again. Thousands may wait, and each takes some microseconds. */
  async #sendWaiting(): Promise<void> {
    let [count, bytes, startMs] = [0, 0, this.#nowMs()]
    for (const [token, message] of this.#waiting) {
      if (this.#isFull) return
      this.drop(token)
      this.#send(message)
      count += 1
      bytes += message.bytes
      if (count < MESSAGES_OF_TURN && bytes < BYTES_OF_TURN && this.#nowMs() - startMs < MS_OF_TURN) continue
      await nextTurn()
      ;[count, bytes, startMs] = [0, 0, this.#nowMs()]
    }
  }
}

export type QueuedMessage = { readonly bytes: number; readonly send: () => void }

export type OutboxLimits = {
  /** Above this size of sent bytes a PING asks whether the bus keeps up. */
  readonly pingBytes: number
  /** Above this size of sent bytes messages wait. */
  readonly sentBytes: number
  /** The most bytes that wait. */
  readonly waitingBytes: number
}

/**
 * The most waiting messages, and about the most bytes of them and the most time, that one turn of the event loop has for
 * them. A turn that begins 64 calls can add more messages than that: with fewer here the backlog would never end.
 */
const MESSAGES_OF_TURN = 512
const BYTES_OF_TURN = 1024 * 1024
const MS_OF_TURN = 4
/** The memory of a waiting call beside its message; it bounds the number of small messages. */
const WAITING_OVERHEAD_BYTES = 1024
