/** Series by a label's value; beyond `limit` all further values share the series `other`. */
export class SeriesMap<Series> {
  readonly #series = new Map<string, Series>()
  readonly #create: (label: string) => Series
  readonly #limit: number
  readonly #other: Series

  constructor(limit: number, create: (label: string) => Series) {
    this.#limit = limit
    this.#create = create
    this.#other = create('other')
  }

  of(label: string): Series {
    const known = this.#series.get(label)
    if (known !== undefined) return known
    if (label === 'other' || this.#series.size >= this.#limit) return this.#other
    const created = this.#create(label)
    this.#series.set(label, created)
    return created
  }

  /** Drops the series of labels that aren't in `labels`. */
  keep(labels: ReadonlySet<string>): void {
    for (const label of this.#series.keys()) if (!labels.has(label)) this.#series.delete(label)
  }

  /** Yields all series, `other` last. */
  *[Symbol.iterator](): Generator<Series, void, undefined> {
    yield* this.#series.values()
    yield this.#other
  }
}
