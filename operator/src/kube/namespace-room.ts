import { keyOf, type Stored } from '@llm-gateway/kube'

export type NamespaceRoomOptions<T> = {
  /** The most that the objects of one namespace may take together. */
  readonly most: number
  /** Returns how much an object takes. */
  readonly takenBy: (object: T) => number
  /** Returns an object without its large parts. */
  readonly withoutRoom: (object: T) => T
}

/**
 * The room of each namespace in a cache. The API server bounds neither the number of objects nor their sum, and a
 * namespace that fills the memory would end the operator for all others.
 */
export class NamespaceRoom<T extends Stored> {
  readonly #options: NamespaceRoomOptions<T>
  /** Namespace → object → how much it takes. */
  readonly #taken = new Map<string, Map<string, number>>()
  readonly #sums = new Map<string, number>()

  constructor(options: NamespaceRoomOptions<T>) {
    this.#options = options
  }

  /** Returns an object that was read, without its large parts where its namespace has no room for them. */
  fit(object: T): T {
    const { most, takenBy, withoutRoom } = this.#options
    const { namespace } = object.metadata
    const own = takenBy(object)
    const others = this.sumOf(namespace) - this.#of(object)
    const isFit = own === 0 || others + own <= most
    this.#set(object, isFit ? own : 0)
    return isFit ? object : withoutRoom(object)
  }

  /** Forgets a deleted object. */
  release(object: Stored): void {
    this.#set(object, 0)
  }

  sumOf(namespace: string): number {
    return this.#sums.get(namespace) ?? 0
  }

  #of({ metadata }: Stored): number {
    return this.#taken.get(metadata.namespace)?.get(keyOf(metadata)) ?? 0
  }

  #set(object: Stored, own: number): void {
    const { namespace } = object.metadata
    const sum = this.sumOf(namespace) - this.#of(object) + own
    const taken = this.#taken.get(namespace) ?? new Map<string, number>()
    if (own === 0) taken.delete(keyOf(object.metadata))
    else taken.set(keyOf(object.metadata), own)
    if (taken.size === 0) this.#taken.delete(namespace)
    else this.#taken.set(namespace, taken)
    if (sum === 0) this.#sums.delete(namespace)
    else this.#sums.set(namespace, sum)
  }
}
