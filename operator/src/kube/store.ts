import type { ObjectMeta } from '@llm-gateway/crds'

export type Stored = { readonly metadata: ObjectMeta }
export type StoreListener<T> = (change: { readonly key: string; readonly before?: T; readonly after?: T }) => void

/** `namespace/name`. */
export function keyOf({ namespace, name }: Pick<ObjectMeta, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`
}

/**
 * What a reflector knows of one kind, by `namespace/name`. Answers of our own writes are put in too: an older version, by its
 * resourceVersion, never replaces a newer one (they are comparable as numbers).
 */
export class Store<T extends Stored> {
  readonly #objects = new Map<string, T>()
  readonly #listeners: StoreListener<T>[] = []
  readonly #synced = Promise.withResolvers<void>()
  #isSynced = false

  get objects(): ReadonlyMap<string, T> {
    return this.#objects
  }

  /** The first list is complete. */
  get synced(): Promise<void> {
    return this.#synced.promise
  }

  get isSynced(): boolean {
    return this.#isSynced
  }

  get(key: string): T | undefined {
    return this.#objects.get(key)
  }

  onChange(listener: StoreListener<T>): void {
    this.#listeners.push(listener)
  }

  put(after: T): void {
    const key = keyOf(after.metadata)
    const before = this.#objects.get(key)
    if (before !== undefined && !isNewer(after, before)) return
    this.#objects.set(key, after)
    this.#tell(before === undefined ? { key, after } : { key, before, after })
  }

  delete(gone: Stored): void {
    const key = keyOf(gone.metadata)
    const before = this.#objects.get(key)
    if (before === undefined || isNewer(before, gone)) return
    this.#objects.delete(key)
    this.#tell({ key, before })
  }

  /** A complete list at a resourceVersion; what is newer than that stays. */
  replace(objects: readonly T[], resourceVersion: string): void {
    const listed = new Set(objects.map(({ metadata }) => keyOf(metadata)))
    for (const [key, before] of this.#objects) {
      if (listed.has(key) || numberOf(before.metadata.resourceVersion) > numberOf(resourceVersion)) continue
      this.#objects.delete(key)
      this.#tell({ key, before })
    }
    for (const object of objects) this.put(object)
    this.#isSynced = true
    this.#synced.resolve()
  }

  #tell(change: Parameters<StoreListener<T>>[0]): void {
    for (const listener of this.#listeners) listener(change)
  }
}

function isNewer({ metadata: a }: Stored, { metadata: b }: Stored): boolean {
  return numberOf(a.resourceVersion) > numberOf(b.resourceVersion)
}

function numberOf(resourceVersion: string): bigint {
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : 0n
}
