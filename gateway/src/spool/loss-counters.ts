import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const NAME = 'lost.json'
const MAX_BYTES = 64 * 1024
const MAX_REASONS = 32

/** The number of lost records by reason, kept in a file beside the spool so that they outlive the process. */
export class LossCounters {
  readonly #counts = new Map<string, number>()
  #path: string | undefined
  #writing: Promise<void> | undefined
  #isStale = false

  /** Adds the counts of earlier processes and returns them; an unreadable file counts as empty. */
  async open(directory: string): Promise<ReadonlyMap<string, number>> {
    this.#path = join(directory, NAME)
    const text = await readFile(this.#path, 'utf8').catch(() => '')
    const before = text.length > MAX_BYTES ? new Map<string, number>() : countsOf(text)
    // Losses while the folder was unusable aren't in its file yet.
    const isBehind = this.#counts.size > 0
    for (const [reason, count] of before) this.#count(count, reason)
    if (isBehind) this.#writeSoon()
    return before
  }

  /** Writes all counts into the new file after the folder was removed and created again. */
  reopen(directory: string): void {
    this.#path = join(directory, NAME)
    if (this.#counts.size > 0) this.#writeSoon()
  }

  add(count: number, reason: string): void {
    this.#count(count, reason)
    this.#writeSoon()
  }

  #count(count: number, reason: string): void {
    if (!this.#counts.has(reason) && this.#counts.size >= MAX_REASONS) return
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + count)
  }

  #writeSoon(): void {
    this.#isStale = true
    // `#write` never rejects. A disk that takes no counters takes no records either, and the spool logs that failure.
    if (this.#path !== undefined) this.#writing ??= this.#write()
  }

  /** Resolves once the file has the counts, or can't be written. */
  async close(): Promise<void> {
    await this.#writing
  }

  async #write(): Promise<void> {
    while (this.#isStale && this.#path !== undefined) {
      this.#isStale = false
      const path = this.#path
      const text = `${JSON.stringify(Object.fromEntries(this.#counts))}\n`
      await writeFile(`${path}.next`, text, { mode: 0o600 })
        .then(() => rename(`${path}.next`, path))
        .catch(() => undefined)
    }
    this.#writing = undefined
  }
}

function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  try {
    const read: unknown = JSON.parse(text)
    for (const [reason, count] of Object.entries(Object(read)).slice(0, MAX_REASONS)) {
      if (/^\w{1,64}$/.test(reason) && typeof count === 'number' && Number.isSafeInteger(count) && count > 0) {
        counts.set(reason, count)
      }
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  return counts
}
