import type { UpstreamCode } from '../errors.ts'
import type { BodyBudget } from '../http/body-budget.ts'
import type { InboundBody } from './inbound-body.ts'

/** A copy of a body for the record, up to a limit; what it holds counts in the budget until released. */
export class BodyCopy {
  readonly #chunks: Buffer[] = []
  readonly #limitBytes: number
  readonly #budget: BodyBudget
  #bytes = 0
  #totalBytes = 0
  #cut = false

  constructor(limitBytes: number, budget: BodyBudget) {
    this.#limitBytes = limitBytes
    this.#budget = budget
  }

  get chunks(): readonly Buffer[] {
    return this.#chunks
  }

  /** Of all that was added, kept or not. */
  get totalBytes(): number {
    return this.#totalBytes
  }

  /** True when something was left out. */
  get cut(): boolean {
    return this.#cut
  }

  add(chunk: Buffer): void {
    this.#totalBytes += chunk.length
    const room = this.#limitBytes - this.#bytes
    if (chunk.length > room) this.#cut = true
    if (room <= 0) return
    const kept = chunk.length > room ? chunk.subarray(0, room) : chunk
    this.#chunks.push(kept)
    this.#bytes += kept.length
    this.#budget.add(kept.length)
  }

  release(): void {
    this.#budget.release(this.#bytes)
    this.#chunks.length = 0
    this.#bytes = 0
  }
}

export type Collected = { readonly kind: 'whole' } | { readonly kind: 'failed'; readonly code: UpstreamCode }

/** Reads a body into a copy; more than the copy's limit is UPSTREAM_TOO_LARGE and ends the call upstream. */
export function collectBody(body: InboundBody, copy: BodyCopy): Promise<Collected> {
  return new Promise((resolve) => {
    body.attach({
      chunk(bytes) {
        copy.add(bytes)
        if (!copy.cut) return true
        resolve({ kind: 'failed', code: 'UPSTREAM_TOO_LARGE' })
        body.abort()
        return false
      },
      end: () => resolve({ kind: 'whole' }),
      failed: (code) => resolve({ kind: 'failed', code }),
    })
  })
}
