import type { Router } from '@llm-gateway/crds'
import type { Source } from '../../model/snapshot.ts'
import type { ComposedConfig } from '../compose-config.ts'
import type { Steps } from '../steps.ts'
import { routerSources, sourceOf } from '../variables/read-key.ts'
import { type BuiltEntry, heldEntry } from './build-entry.ts'
import { hasRoom } from './no-room.ts'
import type { SealedEntry } from './seal-entries.ts'

type Sources = ReadonlyMap<string, Source>

type KnownSource = readonly [key: string, source: Source | undefined]

type RememberedEntry = {
  /** The generation of which the entry was made. */
  readonly router: Router
  /** The version of the gateway's parts. */
  readonly gateway: string
  /** The sources from which it was made, by source key, with the last content of those that couldn't be read. */
  readonly sources: readonly KnownSource[]
  readonly built: BuiltEntry
  /** False for an entry with an unreadable source: it depends on the live values, too. */
  readonly isCertain: boolean
}

/**
 * The last entries and file of one gateway, so that an edit costs only the work on the changed entries. Results are the
 * same without this memory, except for Routers with sources that aren't read yet or can't be read.
 */
export class EntryMemory {
  readonly sealed = new WeakMap<BuiltEntry, SealedEntry>()
  /** Entry → the entry while its Router waits for a required Processor. */
  readonly heldBack = new WeakMap<BuiltEntry, BuiltEntry>()
  #entries = new Map<string, RememberedEntry>()
  #next = new Map<string, RememberedEntry>()
  #sources: Sources = new Map()
  /** A source of which more keys are read now → the source before. */
  #grown = new Map<Source | undefined, Source>()
  #composed:
    | { readonly settings: string; readonly built: readonly BuiltEntry[]; readonly config: ComposedConfig }
    | undefined

  /** Returns the previous object for each source with unchanged content, however often it was read. */
  recognize(sources: Sources): Sources {
    this.#grown = new Map()
    this.#sources = new Map(
      [...sources].map(([key, source]) => {
        const before = this.#sources.get(key)
        if (before === undefined) return [key, source]
        // Until it is read, its last content counts.
        if (source.kind === 'pending') return [key, before]
        if (isSame(before, source)) return [key, before]
        if (hasAllOf(before, source)) this.#grown.set(source, before)
        return [key, source]
      }),
    )
    return this.#sources
  }

  /**
   * Returns the entry of a Router without pending sources. The entry is made again only if the Router, the gateway's
   * parts or a source changed. `make` makes it from the newest sources, or from those that it is given.
   */
  entry(router: Router, gateway: string, make: (sources?: Sources) => BuiltEntry): BuiltEntry {
    const before = this.#entries.get(router.metadata.uid)
    const stands =
      before?.isCertain === true &&
      before.gateway === gateway &&
      isSameSpec(before.router, router) &&
      before.sources.every((one) => this.#stands(one, before.built))
    const built = stands ? before.built : make()
    const now = built.sources.map((key) => [key, this.#sources.get(key)] as const)
    if (isRead(now)) {
      this.#remember({ router, gateway, sources: now, built }, true)
      return built
    }
    const lastOf = new Map(before !== undefined && isSameSpec(before.router, router) ? before.sources : [])
    const sources = now.map(([key]) => [key, this.#readable(key, lastOf.get(key))] as const)
    const isKnown = sources.some(([, source], index) => source !== now[index]?.[1])
    const whole = isKnown && isUnread(built) ? withLast(built, make(knownIn(sources))) : built
    this.#remember({ router, gateway, sources, built: whole }, false)
    return whole
  }

  /** Returns the newest content of a source; where the source can't be read now, the last one. */
  #readable(key: string, last: Source | undefined): Source | undefined {
    const source = this.#sources.get(key)
    return source?.kind === 'failed' && last?.kind === 'found' ? last : source
  }

  /**
   * Returns the entry of the generation of a Router that was translated last, while sources of the Router are pending;
   * undefined: none was translated. `make` makes it again where the gateway's parts or a source changed.
   */
  last(
    router: Router,
    gateway: string,
    make: (last: Router, sources: ReadonlyMap<string, Source>) => BuiltEntry,
  ): BuiltEntry | undefined {
    const before = this.#entries.get(router.metadata.uid)
    if (before === undefined) return undefined
    const known = before.sources.length === 0 ? [] : this.#latest(before, router)
    const stands =
      before.isCertain &&
      before.gateway === gateway &&
      known.every(([, source], index) => source === before.sources[index]?.[1])
    const latest = stands ? before : this.#madeAgain({ ...before, gateway, sources: known }, make)
    this.#remember(latest, isRead(latest.sources))
    // Another Router may hold the earlier path now.
    const { path } = router.spec
    return path === before.router.spec.path ? latest.built : heldIn(path, latest.built)
  }

  #madeAgain(
    { router, gateway, sources }: Omit<RememberedEntry, 'built' | 'isCertain'>,
    make: (last: Router, sources: ReadonlyMap<string, Source>) => BuiltEntry,
  ): Omit<RememberedEntry, 'isCertain'> {
    const known = new Map([...this.#namedBy(router), ...knownIn(sources)])
    const built = make(router, known)
    return {
      router,
      gateway,
      built,
      sources: built.sources.map((key) => [key, known.get(key) ?? this.#sources.get(key)]),
    }
  }

  #namedBy(router: Router): readonly (readonly [string, Source])[] {
    return routerSources(router)
      .map(sourceOf)
      .flatMap((key) => {
        const source = this.#sources.get(key)
        return source === undefined ? [] : [[key, source] as const]
      })
  }

  #remember(entry: Omit<RememberedEntry, 'isCertain'>, isCertain: boolean): void {
    this.#next.set(entry.router.metadata.uid, { ...entry, isCertain })
  }

  /** Returns the newest known content of an entry's sources; an unchanged source is the same object as before. */
  #latest({ router, sources }: RememberedEntry, now: Router): readonly KnownSource[] {
    const named = new Set(routerSources(now).map(keyText))
    const dropped = new Set(
      routerSources(router)
        .map(keyText)
        .filter((key) => !named.has(key)),
    )
    return sources.map(([key, was]) => {
      const source = this.#readable(key, was)
      // A source that nobody names any more isn't read.
      if (source === undefined || source.kind === 'pending') return [key, was]
      if (was?.kind !== 'found' || source.kind !== 'found') return [key, was?.kind === source.kind ? was : source]
      // The Router's new generation doesn't name these keys, so perhaps nobody asked for them.
      const unasked = [...was.values].filter(([name]) => !source.values.has(name) && dropped.has(`${key}/${name}`))
      const whole = { ...source, values: new Map([...source.values, ...unasked]) }
      return [key, isSame(was, whole) ? was : whole]
    })
  }

  /** Another Router may name a further key of a source. An entry that works has all of its own keys already. */
  #stands([key, source]: KnownSource, { entry }: BuiltEntry): boolean {
    const now = this.#sources.get(key)
    return now === source || (!('disabled' in entry) && this.#grown.get(now) === source)
  }

  /** Returns the file, which is made only if a setting or an entry changed; `settings` names the settings' content. */
  *config(settings: string, built: readonly BuiltEntry[], make: () => Steps<ComposedConfig>): Steps<ComposedConfig> {
    const before = this.#composed
    const stands =
      before?.settings === settings &&
      before.built.length === built.length &&
      before.built.every((one, index) => one === built[index])
    const config = stands ? before.config : yield* make()
    this.#composed = { settings, built, config }
    return config
  }

  /** Forgets the entries that weren't asked for since the last call. */
  settle(): void {
    this.#entries = this.#next
    this.#next = new Map()
  }
}

function keyText(key: Parameters<typeof sourceOf>[0]): string {
  return `${sourceOf(key)}/${key.reference.key}`
}

/** A Router may find room in the caches again without a new generation. */
function isSameSpec(one: Router, other: Router): boolean {
  return one.metadata.generation === other.metadata.generation && hasRoom(one) === hasRoom(other)
}

function isRead(sources: readonly KnownSource[]): boolean {
  return sources.every(([, source]) => source?.kind !== 'failed' && source?.kind !== 'pending')
}

function knownIn(sources: readonly KnownSource[]): Sources {
  return new Map(sources.flatMap(([key, source]) => (source === undefined ? [] : [[key, source] as const])))
}

/** Returns whether an entry only holds its path because sources couldn't be read. */
function isUnread({ problems }: BuiltEntry): boolean {
  return problems.length > 0 && problems.every(({ reason }) => reason === 'ReadFailed')
}

/**
 * Returns the entry with the last content of unread sources, where it works. The live values don't suffice for an
 * address: the names of its values hold the origin that was judged with them.
 */
function withLast(unread: BuiltEntry, again: BuiltEntry): BuiltEntry {
  if (again.problems.length > 0) return unread
  return { ...again, readFailures: [...unread.problems, ...(unread.readFailures ?? [])] }
}

function heldIn(path: string, { tenant }: BuiltEntry): BuiltEntry {
  const of = tenant === undefined ? {} : { tenant }
  return { entry: heldEntry(path), ...of, values: new Map(), sources: [], problems: [] }
}

function isSame(one: Source, other: Source): boolean {
  if (one === other) return true
  if (one.kind !== 'found' || other.kind !== 'found') return one.kind === other.kind
  return one.values.size === other.values.size && hasAllOf(one, other)
}

/** Returns whether a source has all texts of the source before. */
function hasAllOf(before: Source, now: Source): boolean {
  if (before.kind !== 'found' || now.kind !== 'found') return false
  if (before.type !== now.type || before.made !== now.made) return false
  return [...before.values].every(([key, text]) => now.values.get(key) === text)
}
