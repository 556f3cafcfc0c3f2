import { textAt, valueAt } from '@llm-gateway/kube'

const MOST_SEEN = 2_000

/** Which versions of resources are the same but for their status: people say which one they saw. */
export class SeenVersions {
  readonly #written = new Map<string, string>()

  add(object: unknown): void {
    const version = textAt(object, 'metadata', 'resourceVersion')
    if (version === undefined) return
    this.#written.delete(version)
    this.#written.set(version, writtenPart(object))
    for (const oldest of this.#written.keys()) {
      if (this.#written.size <= MOST_SEEN) break
      this.#written.delete(oldest)
    }
  }

  /** Whether what is stored is what was seen as that version; undefined: nothing is stored. */
  isSame(version: string, stored: unknown): boolean {
    if (stored === undefined) return false
    if (textAt(stored, 'metadata', 'resourceVersion') === version) return true
    return this.#written.get(version) === writtenPart(stored)
  }
}

/** Changed by an edit and by nothing else; the spec itself would be too much to keep. */
function writtenPart(object: unknown): string {
  const metadata = valueAt(object, 'metadata')
  const { uid, generation, labels } = Object(metadata)
  return JSON.stringify([uid, generation, labels])
}
