/** Calls a function once at the end of a turn of the event loop, however often the turn asks for it. */
export class TurnEnd {
  #isAwaited = false
  readonly #run: () => void

  constructor(onEnd: () => void) {
    this.#run = () => {
      this.#isAwaited = false
      onEnd()
    }
  }

  /** True from `await` to the end of the turn. */
  get isAwaited(): boolean {
    return this.#isAwaited
  }

  await(): void {
    if (this.#isAwaited) return
    this.#isAwaited = true
    // The event loop looks at the sockets once more before it sleeps, which takes a tenth of a small call's time.
    setImmediate(this.#run)
  }
}
