import type { ServerResponse } from 'node:http'
import type { CancelSignal } from '../upstream/upstream.ts'

/**
 * Cancelled when the connection closes before its answer was written to the end.
 *
 * A class, not a literal with a getter: V8 gives every such literal a hidden class of its own, which lives until a full
 * collection and holds the whole transaction with it (measured: a third of the gateway's CPU).
 */
export class CallerSignal implements CancelSignal {
  readonly #listeners: (() => void)[] = []
  #cancelled = false

  constructor(response: ServerResponse) {
    // Comes once; `once` would cost a wrapper and a removal.
    response.on('close', () => {
      if (!response.writableFinished) this.#cancel()
    })
  }

  get cancelled(): boolean {
    return this.#cancelled
  }

  onCancel(listener: () => void): void {
    if (this.#cancelled) listener()
    else this.#listeners.push(listener)
  }

  #cancel(): void {
    this.#cancelled = true
    for (const listener of this.#listeners) listener()
  }
}
