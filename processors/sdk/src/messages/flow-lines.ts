/** Items that wait in a line for each flow, in their order; the flows take turns. */
export class FlowLines<Item extends object> {
  /** Ordered by turn: the next flow comes first. A flow without an item has no line. */
  readonly #lines = new Map<string, Item[]>()

  get isEmpty(): boolean {
    return this.#lines.size === 0
  }

  add(flow: string, item: Item): void {
    const line = this.#lines.get(flow)
    if (line === undefined) this.#lines.set(flow, [item])
    else line.push(item)
  }

  /** Takes the next flow's first item. A flow that still has items goes behind all others. */
  take(): Item | undefined {
    for (const [flow, line] of this.#lines) {
      const item = line.shift()
      this.#lines.delete(flow)
      if (line.length > 0) this.#lines.set(flow, line)
      return item
    }
    return undefined
  }
}
