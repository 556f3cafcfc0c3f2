/** A message in a fair queue. */
export type QueueItem = {
  readonly bytes: number
  /** The flow to which the message belongs: in a processor, the messages of one router. */
  readonly flow: string
  /** The time of `performance.now()` after which no caller waits for the reply. */
  readonly deadline: number
  /** Called when the message leaves the queue without having been processed. */
  readonly drop: (reason: 'dropped' | 'expired') => void
}

export type FairQueueLimits = {
  /** The most messages that wait. */
  readonly waiting: number
  /** The most bytes of all waiting messages; a single message may be larger. */
  readonly waitingBytes: number
}

type Flow<Item> = { readonly items: Item[]; bytes: number }

/**
 * A queue in which flows take turns. Within a flow the shortest message goes first, and among messages of a similar size
 * the oldest. When the queue is full, the flow with the largest share loses its newest message, so a flood displaces
 * only its own messages.
 */
export class FairQueue<Item extends QueueItem> {
  readonly #limits: FairQueueLimits
  /** Ordered by turn: the next flow comes first. */
  readonly #flows = new Map<string, Flow<Item>>()
  #count = 0
  #bytes = 0

  constructor(limits: FairQueueLimits) {
    this.#limits = limits
  }

  get count(): number {
    return this.#count
  }

  get bytes(): number {
    return this.#bytes
  }

  add(item: Item, now: number): void {
    if (!this.#hasRoom(item)) this.#dropExpired(now)
    while (!this.#hasRoom(item)) {
      const fullest = this.#fullest()
      if (fullest === undefined || this.#share(fullest) <= this.#shareWith(item)) {
        item.drop('dropped')
        return
      }
      this.#remove(fullest, fullest.items.length - 1)?.drop('dropped')
    }
    const flow = this.#flows.get(item.flow) ?? { items: [], bytes: 0 }
    this.#flows.set(item.flow, flow)
    flow.items.push(item)
    flow.bytes += item.bytes
    this.#count += 1
    this.#bytes += item.bytes
  }

  /**
   * Returns the next message whose deadline hasn't passed and drops expired messages before it. A flow for which
   * `hasPlace` returns false keeps its turn.
   */
  take(now: number, hasPlace: (flow: string) => boolean = () => true): Item | undefined {
    for (const [name, flow] of this.#flows) {
      if (!hasPlace(name)) continue
      // A flow that still has messages goes behind all others.
      this.#flows.delete(name)
      this.#keep(flow, (item) => item.deadline > now)
      const item = this.#remove(flow, indexOfShortest(flow.items))
      if (flow.items.length > 0) this.#flows.set(name, flow)
      if (item !== undefined) return item
    }
    return undefined
  }

  #hasRoom({ bytes }: Item): boolean {
    if (this.#count === 0) return true
    return this.#count < this.#limits.waiting && this.#bytes + bytes <= this.#limits.waitingBytes
  }

  /** The share of the queue that a flow takes up, by messages or by bytes, whichever is larger. */
  #share({ items, bytes }: { readonly items: { readonly length: number }; readonly bytes: number }): number {
    return Math.max(items.length / this.#limits.waiting, bytes / this.#limits.waitingBytes)
  }

  #shareWith(item: Item): number {
    const { items, bytes } = this.#flows.get(item.flow) ?? { items: [], bytes: 0 }
    return this.#share({ items: { length: items.length + 1 }, bytes: bytes + item.bytes })
  }

  #fullest(): Flow<Item> | undefined {
    let fullest: Flow<Item> | undefined
    for (const flow of this.#flows.values()) {
      if (flow.items.length > 0 && (fullest === undefined || this.#share(flow) > this.#share(fullest))) fullest = flow
    }
    return fullest
  }

  #dropExpired(now: number): void {
    for (const [name, flow] of this.#flows) {
      this.#keep(flow, (item) => item.deadline > now)
      if (flow.items.length === 0) this.#flows.delete(name)
    }
  }

  #keep(flow: Flow<Item>, isKept: (item: Item) => boolean): void {
    for (let index = flow.items.length - 1; index >= 0; index -= 1) {
      const item = flow.items[index]
      if (item !== undefined && !isKept(item)) this.#remove(flow, index)?.drop('expired')
    }
  }

  #remove(flow: Flow<Item>, index: number): Item | undefined {
    const [item] = flow.items.splice(index, 1)
    if (item === undefined) return undefined
    flow.bytes -= item.bytes
    this.#count -= 1
    this.#bytes -= item.bytes
    return item
  }
}

/**
 * Returns the index of the shortest message. Sizes are compared by powers of two: sizes from 1,024 to 2,047 bytes count
 * as equal, so that a message is rarely overtaken for a few bytes.
 */
function indexOfShortest(items: readonly QueueItem[]): number {
  let shortest = 0
  let least = Number.POSITIVE_INFINITY
  for (const [index, { bytes }] of items.entries()) {
    const size = Math.floor(Math.log2(Math.max(1, bytes)))
    if (size >= least) continue
    shortest = index
    least = size
  }
  return shortest
}
