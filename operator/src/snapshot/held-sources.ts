import { TOO_LONG } from '../kube/decode.ts'
import type { FoundSource } from '../model/snapshot.ts'

export type HeldSource = {
  readonly source: FoundSource
  readonly resourceVersion: string
  /** The turn in which it was read. */
  readonly turn: number
  /** The keys that were asked for, each with the most characters of its text. */
  readonly keys: ReadonlyMap<string, number>
  /** The characters that it needs. */
  readonly needs: number
  /** The characters that are in memory: fewer where its namespace had no room for them. */
  readonly characters: number
}

/** A key has two places in maps, beside its name and its text. */
const CHARACTERS_OF_KEY = 64

export function heldSource(
  source: FoundSource,
  reading: Pick<HeldSource, 'resourceVersion' | 'turn' | 'keys'>,
): HeldSource {
  const characters = charactersIn(source.values, reading.keys)
  return { source, ...reading, needs: characters, characters }
}

/** Returns a source with no other keys than these, without a read. */
export function cutTo(keys: ReadonlyMap<string, number>, { source, resourceVersion, turn }: HeldSource): HeldSource {
  const values = new Map([...source.values].filter(([key]) => keys.has(key)))
  return heldSource({ ...source, values }, { resourceVersion, turn, keys })
}

/** Replaces the texts of a source, but those of a gateway's own keys, by the common text that is too long. */
export function crowdedOut(one: HeldSource, own: ReadonlySet<string>): HeldSource {
  const { source, keys } = one
  const values = new Map([...source.values].map(([key, text]) => [key, own.has(key) ? text : TOO_LONG]))
  const characters = charactersIn(values, keys)
  return characters === one.characters ? one : { ...one, source: { ...source, values, crowdedOut: true }, characters }
}

function charactersIn(values: FoundSource['values'], keys: HeldSource['keys']): number {
  let sum = 0
  for (const key of keys.keys()) sum += CHARACTERS_OF_KEY + key.length
  for (const text of values.values()) if (text !== TOO_LONG) sum += text.length
  return sum
}

/** The sources that are kept for a gateway, with the number of their characters. */
export class HeldSources {
  readonly #sources = new Map<string, { readonly namespace: string; readonly one: HeldSource }>()
  /** Namespace → the characters that are in memory. */
  readonly #characters = new Map<string, number>()

  get keys(): Iterable<string> {
    return this.#sources.keys()
  }

  get(key: string): HeldSource | undefined {
    return this.#sources.get(key)?.one
  }

  charactersOf(namespace: string): number {
    return this.#characters.get(namespace) ?? 0
  }

  /** Keeps a source in place of the one that was kept for this key. */
  put(key: string, namespace: string, one: HeldSource): void {
    this.delete(key)
    this.#sources.set(key, { namespace, one })
    this.#characters.set(namespace, this.charactersOf(namespace) + one.characters)
  }

  delete(key: string): void {
    const before = this.#sources.get(key)
    if (before === undefined) return
    const { namespace, one } = before
    this.#sources.delete(key)
    const rest = this.charactersOf(namespace) - one.characters
    if (rest > 0) this.#characters.set(namespace, rest)
    else this.#characters.delete(namespace)
  }
}
