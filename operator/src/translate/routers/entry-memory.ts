import type { Router, SharedEnvEntry } from '@llm-gateway/crds'
import type { Source } from '../../model/snapshot.ts'
import type { ComposedConfig } from '../compose-config.ts'
import type { Steps } from '../steps.ts'
import { routerSources, sourceOf } from '../variables/read-key.ts'
import { type BuiltEntry, heldEntry, isUnread, works } from './build-entry.ts'
import { hasRoom } from './no-room.ts'
import type { SealedEntry } from './seal-entries.ts'

type Sources = ReadonlyMap<string, Source>
type SharedEnv = readonly SharedEnvEntry[]

type KnownSource = readonly [key: string, source: Source | undefined]

/**
 * Makes the entry of a generation of a Router: from the newest sources, or with known contents of its sources and
 * with earlier shared variables.
 */
export type MakeEntry = (
  router: Router,
  known?: { readonly sources: Sources; readonly shared?: SharedEnv },
) => BuiltEntry

/** The entry of a Router that stays in use. */
export type LastEntry = {
  readonly built: BuiltEntry
  /** True where it works and isn't the one of the Router's generation. */
  readonly isOlder: boolean
}

type RememberedEntry = {
  /** The generation of which the entry was made. */
  readonly router: Router
  /** The version of the gateway's parts. */
  readonly gateway: string
  /** The sources from which it was made, by source key, with the last content of those that couldn't be read. */
  readonly sources: readonly KnownSource[]
  readonly built: BuiltEntry
  /** The origin to which the last entry of this generation led that worked. */
  readonly origin: string | undefined
  /** The shared variables of that entry. */
  readonly shared: SharedEnv
}

type Making = Pick<RememberedEntry, 'gateway' | 'sources'> & { readonly make: MakeEntry }

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
  #shared: SharedEnv = []
  /** A source of which more keys are read now → the source before. */
  #grown = new Map<Source | undefined, Source>()
  #composed:
    | { readonly settings: string; readonly built: readonly BuiltEntry[]; readonly config: ComposedConfig }
    | undefined

  /** Returns the previous object for each source with unchanged content, however often it was read. */
  recognize(sources: Sources, shared: SharedEnv = []): Sources {
    this.#shared = shared
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
   * parts or a source changed. An entry that `isUnread` isn't remembered: the last one stays.
   */
  entry(router: Router, gateway: string, make: MakeEntry): BuiltEntry {
    const remembered = this.#entries.get(router.metadata.uid)
    const before = remembered !== undefined && isSameSpec(remembered.router, router) ? remembered : undefined
    const stands =
      before !== undefined &&
      before.gateway === gateway &&
      before.built.kept !== true &&
      before.sources.every((one) => this.#stands(one, before.built))
    const built = stands ? before.built : make(router)
    if (isUnread(built)) return built
    const lastOf = new Map(before?.sources)
    const sources = built.sources.map((key) => [key, this.#readable(key, lastOf.get(key))] as const)
    this.#remember({ router, gateway, sources, built }, before)
    return built
  }

  /** Returns the newest content of a source; where the source can't be read now, the last one. */
  #readable(key: string, last: Source | undefined): Source | undefined {
    const source = this.#sources.get(key)
    return source?.kind === 'failed' && last?.kind === 'found' ? last : source
  }

  /**
   * Returns the entry of the generation of a Router that was translated last, while sources of the Router are pending or
   * can't be read; undefined: none was translated. It is made again where the gateway's parts or a source changed.
   */
  last(router: Router, gateway: string, make: MakeEntry): LastEntry | undefined {
    const before = this.#entries.get(router.metadata.uid)
    if (before === undefined) return undefined
    const sources = before.sources.length === 0 ? [] : this.#latest(before, router)
    const stands =
      before.gateway === gateway && sources.every(([, source], index) => source === before.sources[index]?.[1])
    const latest = stands ? before : this.#madeAgain(before, { gateway, sources, make })
    this.#next.set(router.metadata.uid, latest)
    // Another Router may hold the earlier path now.
    const { path } = router.spec
    const built = path === before.router.spec.path ? latest.built : heldIn(path, latest.built)
    return { built, isOlder: works(built) && !isSameSpec(before.router, router) }
  }

  /** Remembers the entry of a Router's generation that an earlier process translated, with the texts that it uses. */
  adopt(router: Router, gateway: string, { built, sources }: { built: BuiltEntry; sources: Sources }): void {
    this.#remember({ router, gateway, sources: this.#sourcesOf(built, sources), built }, undefined)
  }

  /**
   * Makes a generation again. The last text of a key is sent to no other origin than before: where the address changed
   * beside an unread key, all texts stay. They stay, too, where the gateway shares a variable from an unread source now.
   */
  #madeAgain(before: RememberedEntry, { gateway, sources, make }: Making): RememberedEntry {
    const { router, shared, origin } = before
    const known = knownIn(sources)
    const newest = make(router, { sources: known })
    if (works(newest) ? newest.origin === origin : !isUnread(newest))
      return this.#remember({ router, gateway, sources: this.#sourcesOf(newest, known), built: newest }, before)
    const earlier = make(router, { sources: knownIn(before.sources), shared })
    const isSame = works(earlier) && earlier.origin === origin
    const built = isSame ? { ...earlier, kept: true } : heldIn(router.spec.path, newest)
    return { ...before, gateway, built }
  }

  /** Returns the sources of an entry that was made with known contents of some of them. */
  #sourcesOf({ sources }: BuiltEntry, known: Sources): readonly KnownSource[] {
    return sources.map((key) => [key, known.get(key) ?? this.#sources.get(key)])
  }

  /** @param before The last entry of the same generation. */
  #remember(entry: Omit<RememberedEntry, 'origin' | 'shared'>, before: RememberedEntry | undefined): RememberedEntry {
    const { built, router } = entry
    const led = works(built)
      ? { origin: built.origin, shared: this.#shared }
      : { origin: before?.origin, shared: before?.shared ?? [] }
    const remembered = { ...entry, ...led }
    this.#next.set(router.metadata.uid, remembered)
    return remembered
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

function knownIn(sources: readonly KnownSource[]): Sources {
  return new Map(sources.flatMap(([key, source]) => (source === undefined ? [] : [[key, source] as const])))
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
