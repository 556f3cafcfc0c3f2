import { Heap, NOWHERE } from './heap.ts'

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
  /** Further bytes, which each flow may use for its oldest message; default 0. */
  readonly firstBytes?: number
}

type Flow<Item> = { readonly items: Item[]; bytes: number; place: number }
const NO_ITEMS = { items: [], bytes: 0 }
/** A flow's waiting messages, their bytes, and the bytes of its oldest message. */
type Load = { readonly messages: number; readonly bytes: number; readonly oldest: number }

/**
 * A queue in which flows take turns. Within a flow the shortest message goes first, and among messages of a similar size
 * the oldest. When the queue is full, the flow with the largest share loses its newest message. The oldest message of a
 * flow doesn't count in its share. So a flood displaces only its own messages, and a flow with a single message loses
 * it, however large it is, only where the single messages of all flows don't fit.
 */
export class FairQueue<Item extends QueueItem> {
  readonly #limits: FairQueueLimits
  /** Ordered by turn: the next flow comes first. */
  readonly #flows = new Map<string, Flow<Item>>()
  /**
   * The flows with messages, the fullest first. A search among all flows would take a tenth of a millisecond for each
   * message of a full queue with a thousand flows.
   */
  readonly #byShare = new Heap<Flow<Item>>((one, other) => this.#isFuller(loadOf(one), loadOf(other)))
  #count = 0
  #bytes = 0
  /** No message expires before this time. */
  #soonest = Number.POSITIVE_INFINITY

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
    if (now >= this.#soonest && !this.#hasRoom(item)) this.#dropExpired(now)
    if (this.#makeRoom(item)) this.#put(item)
    else item.drop('dropped')
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

  /** Drops messages of the fullest flows until the new message has room; none where it finds no room in the end. */
  #makeRoom(item: Item): boolean {
    const displaced: Item[] = []
    while (!this.#hasRoom(item)) {
      const newest = this.#removeNewest(item)
      if (newest === undefined) {
        for (const kept of displaced.toReversed()) this.#put(kept)
        return false
      }
      displaced.push(newest)
    }
    for (const lost of displaced) {
      if (this.#flows.get(lost.flow)?.items.length === 0) this.#flows.delete(lost.flow)
      lost.drop('dropped')
    }
    return true
  }

  /** Removes the newest message of the fullest flow, unless the flow of the new message would be as full with it. */
  #removeNewest(item: Item): Item | undefined {
    const fullest = this.#byShare.first
    if (fullest === undefined || !this.#isFuller(loadOf(fullest), this.#loadWith(item))) return undefined
    return this.#remove(fullest, fullest.items.length - 1)
  }

  #put(item: Item): void {
    const flow = this.#flows.get(item.flow) ?? { items: [], bytes: 0, place: NOWHERE }
    this.#flows.set(item.flow, flow)
    flow.items.push(item)
    flow.bytes += item.bytes
    this.#count += 1
    this.#bytes += item.bytes
    this.#soonest = Math.min(this.#soonest, item.deadline)
    this.#byShare.settle(flow)
  }

  #hasRoom({ bytes, flow }: Item): boolean {
    if (this.#count === 0) return true
    if (this.#count >= this.#limits.waiting) return false
    const { waitingBytes, firstBytes = 0 } = this.#limits
    const all = this.#bytes + bytes
    if (all <= waitingBytes || all > waitingBytes + firstBytes) return all <= waitingBytes
    const isFirst = (this.#flows.get(flow)?.items.length ?? 0) === 0
    return isFirst || this.#furtherBytes() + bytes <= waitingBytes
  }

  /** The bytes of all messages but the oldest of each flow. */
  #furtherBytes(): number {
    let further = this.#bytes
    for (const flow of this.#flows.values()) further -= loadOf(flow).oldest
    return further
  }

  /** Compares the shares of two flows without their oldest messages, and equal shares with them. */
  #isFuller(one: Load, other: Load): boolean {
    const further = (load: Load): number => this.#share(load.messages - 1, load.bytes - load.oldest)
    if (further(one) !== further(other)) return further(one) > further(other)
    return this.#share(one.messages, one.bytes) > this.#share(other.messages, other.bytes)
  }

  /** The share of the queue that messages take up, by number or by bytes, whichever is larger. */
  #share(messages: number, bytes: number): number {
    return Math.max(messages / this.#limits.waiting, bytes / this.#limits.waitingBytes)
  }

  /** The load of the new message's flow with the message. */
  #loadWith(item: Item): Load {
    const { items, bytes } = this.#flows.get(item.flow) ?? NO_ITEMS
    return { messages: items.length + 1, bytes: bytes + item.bytes, oldest: (items[0] ?? item).bytes }
  }

  #dropExpired(now: number): void {
    this.#soonest = Number.POSITIVE_INFINITY
    for (const [name, flow] of this.#flows) {
      this.#keep(flow, (item) => item.deadline > now)
      for (const { deadline } of flow.items) this.#soonest = Math.min(this.#soonest, deadline)
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
    if (flow.items.length > 0) this.#byShare.settle(flow)
    else this.#byShare.remove(flow)
    return item
  }
}

function loadOf({ items, bytes }: Pick<Flow<QueueItem>, 'items' | 'bytes'>): Load {
  return { messages: items.length, bytes, oldest: items[0]?.bytes ?? 0 }
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
