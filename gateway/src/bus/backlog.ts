/**
 * Bytes that were sent and that the bus has not yet been seen to take.
 * A server that stops reading without closing would otherwise fill this process's socket buffer, message by message.
 */
export class Backlog {
  readonly #limits: BacklogLimits
  readonly #flush: () => Promise<boolean>
  #bytes = 0
  #asked = false

  constructor(limits: BacklogLimits, flush: () => Promise<boolean>) {
    this.#limits = limits
    this.#flush = flush
  }

  get full(): boolean {
    return this.#bytes >= this.#limits.fullBytes
  }

  add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes >= this.#limits.askBytes && !this.#asked) void this.#ask() // never rejects: flush doesn't
  }

  /** Another connection: nothing of the last one's is on its way. */
  clear(): void {
    this.#bytes = 0
  }

  async #ask(): Promise<void> {
    this.#asked = true
    const bytes = this.#bytes
    const taken = await this.#flush()
    this.#asked = false
    if (taken) this.#bytes = Math.max(0, this.#bytes - bytes)
  }
}

/** `askBytes`: from here on a PING asks whether the bus keeps up; `fullBytes`: from here on nothing more is sent. */
export type BacklogLimits = { readonly askBytes: number; readonly fullBytes: number }
