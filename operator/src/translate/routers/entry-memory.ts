import type { Source } from '../../model/snapshot.ts'
import type { ComposedConfig } from '../compose-config.ts'
import type { Steps } from '../steps.ts'
import type { BuiltEntry } from './build-entry.ts'
import type { SealedEntry } from './seal-entries.ts'

type Sources = ReadonlyMap<string, Source>

type RememberedEntry = {
  readonly version: string
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
  #entries = new Map<string, RememberedEntry>()
  #next = new Map<string, RememberedEntry>()
  #sources: Sources = new Map()
  #composed:
    | { readonly settings: string; readonly built: readonly BuiltEntry[]; readonly config: ComposedConfig }
    | undefined

  /** Returns the previous object for each source with unchanged content, however often it was read. */
  recognize(sources: Sources): Sources {
    this.#sources = new Map(
      [...sources].map(([key, source]) => {
        const before = this.#sources.get(key)
        return [key, before !== undefined && isSame(before, source) ? before : source]
      }),
    )
    return this.#sources
  }

  /**
   * Returns the entry of a Router by its uid. The entry is made again only if the Router's version or a source changed.
   */
  entry(uid: string, version: string, make: () => BuiltEntry): BuiltEntry {
    const before = this.#entries.get(uid)
    const stands =
      before?.version === version && before.sources.every(([key, source]) => this.#sources.get(key) === source)
    const built = stands ? before.built : make()
    const sources = stands ? before.sources : built.sources.map((key) => [key, this.#sources.get(key)] as const)
    // An entry with an unreadable source depends on the live values, too, so it is made each time.
    const isCertain = sources.every(([, source]) => source?.kind !== 'failed')
    if (isCertain) this.#next.set(uid, stands ? before : { version, sources, built })
    return built
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

function isSame(one: Source, other: Source): boolean {
  if (one === other) return true
  if (one.kind !== 'found' || other.kind !== 'found') return one.kind === other.kind
  if (one.type !== other.type || one.made !== other.made || one.values.size !== other.values.size) return false
  return [...one.values].every(([key, text]) => other.values.get(key) === text)
}
