import type { Source } from '../../model/snapshot.ts'
import type { ComposedConfig } from '../compose-config.ts'
import type { BuiltEntry } from './build-entry.ts'
import type { SealedEntry } from './seal-entries.ts'

type Sources = ReadonlyMap<string, Source>

type Remembered = {
  readonly version: string
  /** What it was made of, by source key. */
  readonly sources: readonly (readonly [key: string, source: Source | undefined])[]
  readonly built: BuiltEntry
}

/** What was made of the Routers of one gateway last: an edit costs what it changes. What comes out is the same without it. */
export class EntryMemory {
  readonly sealed = new WeakMap<BuiltEntry, SealedEntry>()
  #entries = new Map<string, Remembered>()
  #next = new Map<string, Remembered>()
  #sources: Sources = new Map()
  #composed:
    | { readonly settings: string; readonly built: readonly BuiltEntry[]; readonly config: ComposedConfig }
    | undefined

  /** What holds the same as before is the object that it was, however often it was read. */
  recognize(sources: Sources): Sources {
    this.#sources = new Map(
      [...sources].map(([key, source]) => {
        const before = this.#sources.get(key)
        return [key, before !== undefined && isSame(before, source) ? before : source]
      }),
    )
    return this.#sources
  }

  /** The entry of a Router by its uid, made only where something that it depends on changed. */
  entry(uid: string, version: string, make: () => BuiltEntry): BuiltEntry {
    const before = this.#entries.get(uid)
    const stands =
      before?.version === version && before.sources.every(([key, source]) => this.#sources.get(key) === source)
    const built = stands ? before.built : make()
    const sources = stands ? before.sources : built.sources.map((key) => [key, this.#sources.get(key)] as const)
    // What couldn't be read depends on more than that.
    const isCertain = sources.every(([, source]) => source?.kind !== 'failed')
    if (isCertain) this.#next.set(uid, stands ? before : { version, sources, built })
    return built
  }

  /** The file, made only where a setting or an entry changed. */
  config(settings: object, built: readonly BuiltEntry[], make: () => ComposedConfig): ComposedConfig {
    const text = JSON.stringify(settings)
    const before = this.#composed
    const stands =
      before?.settings === text &&
      before.built.length === built.length &&
      before.built.every((one, index) => one === built[index])
    const config = stands ? before.config : make()
    this.#composed = { settings: text, built, config }
    return config
  }

  /** Forgets what wasn't asked for since. */
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
