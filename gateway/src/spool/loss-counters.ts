import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const NAME = 'lost.json'
const MOST_BYTES = 64 * 1024
const MOST_REASONS = 32

/** How many records were lost and why, in a file beside the spool: the end of a process doesn't make it forget. */
export class LossCounters {
  readonly #path: string
  readonly #counts: Map<string, number>
  #writing: Promise<void> | undefined
  #isStale = false

  private constructor(path: string, counts: Map<string, number>) {
    this.#path = path
    this.#counts = counts
  }

  /** What earlier processes counted; nothing where the file can't be read as such. */
  static async open(directory: string): Promise<LossCounters> {
    const path = join(directory, NAME)
    const text = await readFile(path, 'utf8').catch(() => '')
    return new LossCounters(path, text.length > MOST_BYTES ? new Map() : countsOf(text))
  }

  get counts(): ReadonlyMap<string, number> {
    return this.#counts
  }

  add(count: number, reason: string): void {
    if (!this.#counts.has(reason) && this.#counts.size >= MOST_REASONS) return
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + count)
    this.#isStale = true
    // Never rejects: a disk that takes no counters takes no records, and that is said.
    this.#writing ??= this.#write()
  }

  /** Returns when the file says what was counted, or can't. */
  async close(): Promise<void> {
    await this.#writing
  }

  async #write(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false
      const next = `${this.#path}.next`
      const text = `${JSON.stringify(Object.fromEntries(this.#counts))}\n`
      await writeFile(next, text, { mode: 0o600 })
        .then(() => rename(next, this.#path))
        .catch(() => undefined)
    }
    this.#writing = undefined
  }
}

function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  try {
    const read: unknown = JSON.parse(text)
    for (const [reason, count] of Object.entries(Object(read)).slice(0, MOST_REASONS)) {
      if (/^\w{1,64}$/.test(reason) && typeof count === 'number' && Number.isSafeInteger(count) && count > 0) {
        counts.set(reason, count)
      }
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  return counts
}
