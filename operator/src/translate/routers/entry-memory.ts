import type { Source } from '../../model/snapshot.ts'
import type { ComposedConfig } from '../compose-config.ts'
import type { Steps } from '../steps.ts'
import type { BuiltEntry } from './build-entry.ts'
import type { SealedEntry } from './seal-entries.ts'

type Sources = ReadonlyMap<string, Source>

/** The facts on which an entry depends, beside its sources. */
export type EntryVersion = {
  /** The Router's own. */
  readonly router: string
  /** That of the gateway's parts. */
  readonly gateway: string
}

type RememberedEntry = {
  readonly version: EntryVersion
  /** The sources from which it was made, by source key. */
  readonly sources: readonly (readonly [key: string, source: Source | undefined])[]
  readonly built: BuiltEntry
}

/**
 * The last entries and file of one gateway, so that an edit costs only the work on the changed entries. Results are the
 * same without this memory.
 */
export class EntryMemory {
  readonly sealed = new WeakMap<BuiltEntry, SealedEntry>()
  /** Entry → the entry while its Router waits for a required Processor. */
  readonly heldBack = new WeakMap<BuiltEntry, BuiltEntry>()
  #isNew = true
  #entries = new Map<string, RememberedEntry>()
  #next = new Map<string, RememberedEntry>()
  #sources: Sources = new Map()
  /** A source of which more keys are read now → the source before. */
  #grown = new Map<Source | undefined, Source>()
  #composed:
    | { readonly settings: string; readonly built: readonly BuiltEntry[]; readonly config: ComposedConfig }
    | undefined

  /** True until the first entries were made. */
  get isNew(): boolean {
    return this.#isNew
  }

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
   * Returns the entry of a Router by its uid. The entry is made again only if the Router's version or a source changed.
   */
  entry(uid: string, version: EntryVersion, make: () => BuiltEntry): BuiltEntry {
    const before = this.#entries.get(uid)
    const isSameVersion = before?.version.router === version.router && before.version.gateway === version.gateway
    const stands = isSameVersion && before.sources.every((one) => this.#stands(one, before.built))
    const built = stands ? before.built : make()
    const sources = built.sources.map((key) => [key, this.#sources.get(key)] as const)
    // An entry with an unreadable source depends on the live values, too, so it is made each time.
    const isCertain = sources.every(([, source]) => source?.kind !== 'failed' && source?.kind !== 'pending')
    if (isCertain) this.#next.set(uid, { version, sources, built })
    return built
  }

  /**
   * Returns a Router's last entry, of whatever generation; undefined: the gateway's parts or a source changed since. The
   * entry stays remembered.
   */
  last(uid: string, { gateway }: EntryVersion): BuiltEntry | undefined {
    const before = this.#entries.get(uid)
    if (before?.version.gateway !== gateway) return undefined
    // A source that nobody names any more isn't read. Other entries would have another text for a changed one.
    const isSame = before.sources.every((one) => !this.#sources.has(one[0]) || this.#stands(one, before.built))
    if (!isSame) return undefined
    this.#next.set(uid, before)
    return before.built
  }

  /** Another Router may name a further key of a source. An entry that works has all of its own keys already. */
  #stands([key, source]: RememberedEntry['sources'][number], { entry }: BuiltEntry): boolean {
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
    this.#isNew = false
    this.#entries = this.#next
    this.#next = new Map()
  }
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
