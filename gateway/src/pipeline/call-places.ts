import type { RouterShare } from '../memory/memory-account.ts'

/**
 * The places for calls to processors that wait for a reply. A router takes no more places than it leaves free: however
 * many routers have processors that never reply, the next router finds as many places as each of them has.
 */
export class CallPlaces {
  readonly #places: number
  #taken = 0

  constructor(places: number) {
    this.#places = places
  }

  /** Takes a place; returns false where the router has to leave the free places to other routers. */
  take(router: RouterShare): boolean {
    if (router.processorCalls >= this.#places - this.#taken) return false
    this.#taken += 1
    router.processorCalls += 1
    return true
  }

  release(router: RouterShare): void {
    this.#taken -= 1
    router.processorCalls -= 1
  }
}
