/**
 * Messages on their way to the bus: sent at once, or in the order they came as soon as the bus has taken enough of what
 * was sent before. A server that stops reading without closing would otherwise fill this process's socket buffer.
 */
export class Outbox {
  readonly #limits: OutboxLimits
  readonly #flush: () => Promise<boolean>
  readonly #waiting = new Map<string, QueuedMessage>()
  #waitingBytes = 0
  /** Sent, and not yet seen to be taken. */
  #sentBytes = 0
  #asking = false

  constructor(limits: OutboxLimits, flush: () => Promise<boolean>) {
    this.#limits = limits
    this.#flush = flush
  }

  /** False: so much waits already that this message can't. */
  add(token: string, message: QueuedMessage): boolean {
    if (this.#waiting.size === 0 && !this.#full) {
      this.#send(message)
      return true
    }
    const bytes = message.bytes + WAITING_OVERHEAD_BYTES
    if (this.#waitingBytes + bytes > this.#limits.waitingBytes) return false
    this.#waiting.set(token, message)
    this.#waitingBytes += bytes
    return true
  }

  /** Nobody waits for its answer any more: if it wasn't sent, it won't be. */
  drop(token: string): void {
    const message = this.#waiting.get(token)
    if (message === undefined) return
    this.#waiting.delete(token)
    this.#waitingBytes -= message.bytes + WAITING_OVERHEAD_BYTES
  }

  /** Another connection: nothing of the last one's is on its way. */
  clear(): void {
    this.#sentBytes = 0
    this.#waiting.clear()
    this.#waitingBytes = 0
  }

  get #full(): boolean {
    return this.#sentBytes >= this.#limits.sentBytes
  }

  #send({ bytes, send }: QueuedMessage): void {
    this.#sentBytes += bytes
    send()
    if (this.#sentBytes >= this.#limits.askBytes && !this.#asking) void this.#ask() // never rejects: flush doesn't
  }

  async #ask(): Promise<void> {
    this.#asking = true
    while (this.#sentBytes >= this.#limits.askBytes) {
      const bytes = this.#sentBytes
      if (!(await this.#flush())) break
      this.#sentBytes = Math.max(0, this.#sentBytes - bytes)
      for (const [token, message] of this.#waiting) {
        if (this.#full) break
        this.drop(token)
        this.#send(message)
      }
    }
    this.#asking = false
  }
}

export type QueuedMessage = { readonly bytes: number; readonly send: () => void }

export type OutboxLimits = {
  /** From here on a PING asks whether the bus keeps up. */
  readonly askBytes: number
  /** From here on messages wait. */
  readonly sentBytes: number
  /** Of all that wait. */
  readonly waitingBytes: number
}

/** What a call that waits takes beside its message; bounds the number of small ones. */
const WAITING_OVERHEAD_BYTES = 1024
