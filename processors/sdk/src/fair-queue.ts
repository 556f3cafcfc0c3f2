/** Something that waits for its turn. */
export type Waiting = {
  readonly bytes: number
  /** Who it is for, as far as a message tells: those of one party share what all parties have. */
  readonly party: string
  /** `performance.now()` after which nobody wants it. */
  readonly deadline: number
  /** Its turn won't come. */
  readonly drop: (reason: 'dropped' | 'expired') => void
}

export type FairQueueLimits = {
  readonly waiting: number
  /** Of all that wait; one alone may have more. */
  readonly waitingBytes: number
}

type Party<Item> = { readonly items: Item[]; bytes: number }

/**
 * Parties take turns, and of one party's the shortest goes first, of equals the first. Where the room is full, the party
 * that has most of it loses its newest: a flood pushes out itself and nobody else.
 */
export class FairQueue<Item extends Waiting> {
  readonly #limits: FairQueueLimits
  /** The next one's turn first. */
  readonly #parties = new Map<string, Party<Item>>()
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
    const party = this.#parties.get(item.party) ?? { items: [], bytes: 0 }
    this.#parties.set(item.party, party)
    party.items.push(item)
    party.bytes += item.bytes
    this.#count += 1
    this.#bytes += item.bytes
  }

  /** The next one whose deadline hasn't passed; those before it are dropped. */
  take(now: number): Item | undefined {
    for (const [name, party] of this.#parties) {
      // Behind all others, if anything of it is left.
      this.#parties.delete(name)
      this.#keep(party, (item) => item.deadline > now)
      const item = this.#remove(party, indexOfShortest(party.items))
      if (party.items.length > 0) this.#parties.set(name, party)
      if (item !== undefined) return item
    }
    return undefined
  }

  #hasRoom({ bytes }: Item): boolean {
    if (this.#count === 0) return true
    return this.#count < this.#limits.waiting && this.#bytes + bytes <= this.#limits.waitingBytes
  }

  /** How much of the room a party has: of what it has most of, places or bytes. */
  #share({ items, bytes }: { readonly items: { readonly length: number }; readonly bytes: number }): number {
    return Math.max(items.length / this.#limits.waiting, bytes / this.#limits.waitingBytes)
  }

  #shareWith(item: Item): number {
    const { items, bytes } = this.#parties.get(item.party) ?? { items: [], bytes: 0 }
    return this.#share({ items: { length: items.length + 1 }, bytes: bytes + item.bytes })
  }

  #fullest(): Party<Item> | undefined {
    let fullest: Party<Item> | undefined
    for (const party of this.#parties.values()) {
      if (party.items.length > 0 && (fullest === undefined || this.#share(party) > this.#share(fullest)))
        fullest = party
    }
    return fullest
  }

  #dropExpired(now: number): void {
    for (const [name, party] of this.#parties) {
      this.#keep(party, (item) => item.deadline > now)
      if (party.items.length === 0) this.#parties.delete(name)
    }
  }

  #keep(party: Party<Item>, isKept: (item: Item) => boolean): void {
    for (let index = party.items.length - 1; index >= 0; index -= 1) {
      const item = party.items[index]
      if (item !== undefined && !isKept(item)) this.#remove(party, index)?.drop('expired')
    }
  }

  #remove(party: Party<Item>, index: number): Item | undefined {
    const [item] = party.items.splice(index, 1)
    if (item === undefined) return undefined
    party.bytes -= item.bytes
    this.#count -= 1
    this.#bytes -= item.bytes
    return item
  }
}

/** Within a factor of two sizes are equal, so that what came first isn't passed for a few bytes. */
function indexOfShortest(items: readonly Waiting[]): number {
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
