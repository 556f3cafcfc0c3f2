import type { ServerResponse } from 'node:http'
import type { CancelSignal } from '../upstream/upstream.ts'

/**
 * A signal that is cancelled when the connection closes before the answer is fully written.
 * CallerSignal is a class, not a literal with a getter: V8 gives each such literal a hidden class of its own, which
 * lives until a full collection and retains the transaction (measured: a third of the gateway's CPU).
 */
export class CallerSignal implements CancelSignal {
  readonly #listeners: (() => void)[] = []
  #cancelled = false

  constructor(response: ServerResponse) {
    // The event comes once; `once` would cost a wrapper and a removal.
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
