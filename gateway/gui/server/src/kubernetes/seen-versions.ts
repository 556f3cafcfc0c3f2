import { createHash } from 'node:crypto'
import { GROUP } from '@llm-gateway/crds'
import { isObject, textAt, valueAt } from '@llm-gateway/kube'

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
 * Returns a hash of the metadata that changes with each edit of the resource. The generation counts edits of the spec;
 * labels and annotations don't change it. Annotations of other programs aren't shown, so their changes don't count.
 */
function writtenPart(object: unknown): string {
  const { uid, generation, labels, annotations } = Object(valueAt(object, 'metadata'))
  const ours = Object.entries(isObject(annotations) ? annotations : {}).filter(([name]) => name.startsWith(`${GROUP}/`))
  return createHash('sha256')
    .update(JSON.stringify([uid, generation, labels, ours.toSorted()]))
    .digest('base64')
}
