/** Counts of each call's records in one place. */
export class Tally {
  readonly name: string
  readonly #counts = new Map<number, number>()
  /** Number of records whose call is unknown. */
  unknownCalls = 0
  /** True while each serial was higher than the serial before. */
  isOrdered = true
  #last = 0

  constructor(name: string) {
    this.name = name
  }

  add(serial: number): void {
    if (serial <= this.#last) this.isOrdered = false
    this.#last = serial
    if (Number.isNaN(serial)) this.unknownCalls += 1
    else this.#counts.set(serial, (this.#counts.get(serial) ?? 0) + 1)
  }

  get size(): number {
    return this.#counts.size
  }

  missing(of: ReadonlySet<number>): readonly number[] {
    return [...of].filter((serial) => !this.#counts.has(serial))
  }

  get doubles(): readonly number[] {
    return [...this.#counts].filter(([, count]) => count > 1).map(([serial]) => serial)
  }
}
