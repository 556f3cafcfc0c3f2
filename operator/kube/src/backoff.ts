/** Growing waits, with jitter so that many clients don't come back at once. */
export class Backoff {
  readonly #firstMs: number
  readonly #mostMs: number
  #nextMs: number

  constructor({ firstMs, mostMs }: { readonly firstMs: number; readonly mostMs: number }) {
    this.#firstMs = firstMs
    this.#mostMs = mostMs
    this.#nextMs = firstMs
  }

  /** Returns the next wait, up to half longer than the grown wait. */
  next(random: number): number {
    const ms = this.#nextMs * (1 + random / 2)
    this.#nextMs = Math.min(this.#mostMs, this.#nextMs * 2)
    return Math.min(this.#mostMs, ms)
  }

  reset(): void {
    this.#nextMs = this.#firstMs
  }
}
