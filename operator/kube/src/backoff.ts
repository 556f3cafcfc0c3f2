/** Waits that grow, with jitter so that many don't come back at once. */
export class Backoff {
  readonly #firstMs: number
  readonly #mostMs: number
  #nextMs: number

  constructor({ firstMs, mostMs }: { readonly firstMs: number; readonly mostMs: number }) {
    this.#firstMs = firstMs
    this.#mostMs = mostMs
    this.#nextMs = firstMs
  }

  /** The next wait: between the grown one and half more. */
  next(random: number): number {
    const ms = this.#nextMs * (1 + random / 2)
    this.#nextMs = Math.min(this.#mostMs, this.#nextMs * 2)
    return Math.min(this.#mostMs, ms)
  }

  reset(): void {
    this.#nextMs = this.#firstMs
  }
}
