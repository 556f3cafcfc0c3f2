import { constants, open, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const NAME = 'lost.json'
const MAX_BYTES = 64 * 1024
/** The size of the file: the counts and spaces behind them, so that later counts need no room on a full disk. */
const FILE_BYTES = 4096
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
    const before = countsOf(await readSmallFile(this.#path).catch(() => ''))
    for (const [reason, count] of before) this.#count(count, reason)
    // The file may be missing or short, and losses while the folder was unusable aren't in it yet.
    this.#writeSoon()
    return before
  }

  /** Writes all counts into the new file after the folder was removed and created again. */
  reopen(directory: string): void {
    this.#path = join(directory, NAME)
    this.#writeSoon()
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
      const text = `${JSON.stringify(Object.fromEntries(this.#counts))}\n`.padEnd(FILE_BYTES)
      // A full disk has no room for a second file.
      await replaceFile(path, text)
        .catch(() => overwriteFile(path, text))
        .catch(() => undefined)
    }
    this.#writing = undefined
  }
}

/** Reads a regular file of at most MAX_BYTES, empty for any other: reading a pipe or a device could last for ever. */
async function readSmallFile(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const found = await file.stat()
    if (!found.isFile() || found.size > MAX_BYTES) return ''
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const next = `${path}.next`
  // Writing to somebody's pipe or link of that name could last for ever, or change another file.
  await rm(next, { force: true })
  try {
    await writeFile(next, text, { flag: 'wx', mode: 0o600 })
    await rename(next, path)
  } catch (error) {
    await rm(next, { force: true })
    throw error
  }
}

/** Overwrites a regular file by one write of a page, which a killed process leaves whole. */
async function overwriteFile(path: string, text: string): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    if ((await file.stat()).isFile()) await file.write(text, 0)
  } finally {
    await file.close()
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
