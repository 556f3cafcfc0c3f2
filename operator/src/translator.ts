import type { Snapshot } from './snapshot.ts'
import { EntryMemory } from './translate/routers/entry-memory.ts'
import { type Translation, translate } from './translate/translate.ts'

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
