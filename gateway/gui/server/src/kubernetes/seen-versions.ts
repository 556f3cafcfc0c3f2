import { textAt, valueAt } from '@llm-gateway/kube'

const MOST_SEEN = 2_000

/** Versions of resources that people have seen. Versions that differ only in the status count as the same. */
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

  /** Returns whether the stored object is still the version that a person saw; false if nothing is stored. */
  isSame(version: string, stored: unknown): boolean {
    if (stored === undefined) return false
    if (textAt(stored, 'metadata', 'resourceVersion') === version) return true
    return this.#written.get(version) === writtenPart(stored)
  }
}

/**
 * Returns the metadata that changes with each edit and with nothing else. The spec itself would be too large to keep.
 */
function writtenPart(object: unknown): string {
  const metadata = valueAt(object, 'metadata')
  const { uid, generation, labels } = Object(metadata)
  return JSON.stringify([uid, generation, labels])
}
