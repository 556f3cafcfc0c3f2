import type { Snapshot } from '../model/snapshot.ts'
import { EntryMemory } from './routers/entry-memory.ts'
import { type Translation, translate } from './translate.ts'

/** translate, with a memory for each gateway: an edit costs what it changes. */
export class Translator {
  readonly #memories = new Map<string, EntryMemory>()

  translate(key: string, snapshot: Snapshot): Translation {
    const memory = this.#memories.get(key) ?? new EntryMemory()
    this.#memories.set(key, memory)
    return translate(snapshot, memory)
  }

  forget(key: string): void {
    this.#memories.delete(key)
  }
}
