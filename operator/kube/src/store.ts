import { GROUP, type MaybeUnreadable, type ObjectMeta, objectMetaSchema } from '@llm-gateway/crds'
import { valueAt } from './json-value.ts'

/** Decodes an object's metadata; undefined: it has another form. */
export function decodeMetadata(object: unknown): Stored | undefined {
  const parsed = objectMetaSchema.safeParse(valueAt(object, 'metadata'))
  return parsed.success
    ? { metadata: { ...parsed.data, annotations: ownAnnotations(parsed.data.annotations) } }
    : undefined
}

const NOTHING = {}

/** Drops annotations of others: kubectl keeps a copy of the whole object there, and so the values of a Secret. */
function ownAnnotations(annotations: ObjectMeta['annotations']): ObjectMeta['annotations'] {
  const ours = Object.entries(annotations).filter(([name]) => name.startsWith(`${GROUP}/`))
  return ours.length === 0 ? NOTHING : Object.fromEntries(ours)
}

export type Stored = MaybeUnreadable & { readonly metadata: ObjectMeta }
export type StoreOptions<T> = {
  /** A second key by which objects are looked up, beside their own. */
  readonly indexBy?: (object: T) => string
  /** Called when a listener threw; the store and the other listeners go on. */
  readonly listenerFailed?: (error: unknown) => void
}
export type StoreListener<T> = (change: {
  readonly key: string
  readonly before?: T
  readonly after?: T
  /** True when the change is the answer to a write of this process, whose code knows of it. */
  readonly own?: boolean
}) => void

/** The methods by which a reflector fills a store. */
export type StoreWriter<T extends Stored> = Pick<Store<T>, 'get' | 'put' | 'delete' | 'replace' | 'restore'>

/** Returns `namespace/name`. */
export function keyOf({ namespace, name }: Pick<ObjectMeta, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`
}

/**
 * Holds the objects of one kind that a reflector knows, by `namespace/name`. Answers to our own writes are put in, too.
 * An older version never replaces a newer version; resourceVersions are compared as numbers, which all objects of a kind
 * share.
 */
export class Store<T extends Stored> {
  readonly #objects = new Map<string, T>()
  readonly #index = new Map<string, Map<string, T>>()
  readonly #listeners: StoreListener<T>[] = []
  readonly #indexBy: StoreOptions<T>['indexBy']
  readonly #listenerFailed: (error: unknown) => void
  /** The newest version that the reflector brought. An object that is missing then was deleted. */
  #newest = 0n

  constructor({ indexBy, listenerFailed = rethrow }: StoreOptions<T> = {}) {
    this.#indexBy = indexBy
    this.#listenerFailed = listenerFailed
  }

  get objects(): ReadonlyMap<string, T> {
    return this.#objects
  }

  get(key: string): T | undefined {
    return this.#objects.get(key)
  }

  /** Returns the objects with this `indexBy` key. */
  of(index: string): readonly T[] {
    return [...(this.#index.get(index)?.values() ?? [])]
  }

  onChange(listener: StoreListener<T>): void {
    this.#listeners.push(listener)
  }

  /** @param own True for the answer to a write. The watch may have brought the deletion of its object before. */
  put(after: T, own = false): void {
    const key = keyOf(after.metadata)
    const before = this.#objects.get(key)
    const isGone = own && before === undefined && isKnown(after.metadata, this.#newest)
    if (isGone) return
    if (!own) this.#see(after.metadata.resourceVersion)
    if (before !== undefined && !isNewer(after, before)) return
    this.#set(key, after)
    this.#tell({ key, after, own, ...(before === undefined ? {} : { before }) })
  }

  delete(gone: Stored): void {
    const key = keyOf(gone.metadata)
    this.#see(gone.metadata.resourceVersion)
    const before = this.#objects.get(key)
    if (before === undefined || isNewer(before, gone)) return
    this.#set(key, undefined)
    this.#tell({ key, before })
  }

  /** Takes a complete list at a resourceVersion, of one namespace or of all. Newer objects stay. */
  replace(objects: readonly T[], resourceVersion: string, namespace?: string): void {
    const listed = new Set(objects.map(({ metadata }) => keyOf(metadata)))
    this.#see(resourceVersion)
    for (const [key, before] of this.#objects) {
      if (listed.has(key) || (namespace !== undefined && before.metadata.namespace !== namespace)) continue
      if (numberOf(before.metadata.resourceVersion) > numberOf(resourceVersion)) continue
      this.#set(key, undefined)
      this.#tell({ key, before })
    }
    for (const object of objects) this.put(object)
  }

  /** Takes a complete list of a server that was restored from a copy: no known object counts as newer. */
  restore(objects: readonly T[], namespace?: string): void {
    const listed = new Map(objects.map((object) => [keyOf(object.metadata), object]))
    this.#newest = 0n
    for (const [key, before] of this.#objects) {
      if (listed.has(key) || (namespace !== undefined && before.metadata.namespace !== namespace)) continue
      this.#set(key, undefined)
      this.#tell({ key, before })
    }
    for (const [key, after] of listed) {
      const before = this.#objects.get(key)
      this.#set(key, after)
      this.#tell({ key, after, ...(before === undefined ? {} : { before }) })
    }
  }

  #see(resourceVersion: string): void {
    const version = numberOf(resourceVersion)
    if (version > this.#newest) this.#newest = version
  }

  #set(key: string, object: T | undefined): void {
    const before = this.#objects.get(key)
    if (object === undefined) this.#objects.delete(key)
    else this.#objects.set(key, object)
    if (this.#indexBy === undefined) return
    if (before !== undefined) this.#unindex(this.#indexBy(before), key)
    if (object === undefined) return
    const index = this.#indexBy(object)
    const group = this.#index.get(index) ?? new Map<string, T>()
    this.#index.set(index, group.set(key, object))
  }

  #unindex(index: string, key: string): void {
    const group = this.#index.get(index)
    group?.delete(key)
    if (group?.size === 0) this.#index.delete(index)
  }

  #tell(change: Parameters<StoreListener<T>>[0]): void {
    for (const listener of this.#listeners) {
      try {
        listener(change)
      } catch (error) {
        this.#listenerFailed(error)
      }
    }
  }
}

function rethrow(error: unknown): never {
  throw error
}

/** Returns whether a version is older than another; false where either isn't a number. */
export function isOlderVersion(one: string, other: string): boolean {
  return numberOf(one) > 0n && numberOf(one) < numberOf(other)
}

function isNewer({ metadata: a }: Stored, { metadata: b }: Stored): boolean {
  return numberOf(a.resourceVersion) > numberOf(b.resourceVersion)
}

/** Returns whether an object is of no newer version; false where its version isn't a number. */
function isKnown({ resourceVersion }: Stored['metadata'], newest: bigint): boolean {
  const version = numberOf(resourceVersion)
  return version > 0n && version <= newest
}

function numberOf(resourceVersion: string): bigint {
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : 0n
}
