import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { decodeMessage } from '@llm-gateway/protocol'
import { errorCode } from '@llm-gateway/sdk'
import { Position } from './position.ts'
import { SeenRecords } from './seen-records.ts'
import { progressIn, type SinkMemory, type SinkProgress } from './sink-memory.ts'
import type { SinkRecord } from './writer.ts'

/** A file, whatever it is called by now, and where in it records are about to be written. */
export type WritePlace = { readonly file: string; readonly at: number; readonly path: string }

/** What the sink was about to write when it ended: of each record its id, the length of its line, and its sequence. */
type Intent = WritePlace & { readonly records: readonly (readonly [id: string, bytes: number, sequence: number])[] }

/** How many bytes of records a file has behind `at`; undefined where the file is not to be found. The rest of them is cut off. */
export type FindRest = (place: WritePlace, lengths: readonly number[]) => Promise<number | undefined>

const PERMISSIONS = 0o640
/** What is written before the journal is begun anew. */
const MOST_BYTES = 4 * 1024 * 1024

/**
 * Beside a file of records: which records are in it. Each batch is announced here before it is written, so that a sink
 * that was killed in between finds by the file's size which of its records were: none is lost and none is there twice.
 * It holds lines of JSON: a beginning (position and known ids), then one line a batch.
 */
export class RecordJournal implements SinkMemory {
  readonly seen = new SeenRecords()
  readonly #path: string
  #handle: FileHandle | undefined
  #bytes = 0
  #file = ''
  #progress: SinkProgress | undefined
  /** How many records of the announced batch are in the file. */
  #written = 0
  #last: readonly SinkRecord[] = []

  constructor(path: string) {
    this.#path = path
  }

  get isOpen(): boolean {
    return this.#handle !== undefined
  }

  async progress(): Promise<SinkProgress | undefined> {
    return this.#progress
  }

  /** Goes out with the next batch. */
  async remember(progress: SinkProgress): Promise<void> {
    this.#progress = { created: progress.created, floor: progress.floor }
  }

  /** Reads what an earlier sink left, and begins anew. */
  async open(findRest: FindRest): Promise<void> {
    await this.#recover(findRest)
    await this.#begin()
  }

  /** Announces a batch; what this rejects with is the system's. */
  async announce(place: WritePlace, records: readonly SinkRecord[], lengths: readonly number[]): Promise<void> {
    // Where the file was removed with its folder, so was this one.
    if (this.#bytes > MOST_BYTES || place.file !== this.#file) await this.#begin()
    this.#file = place.file
    const known = records.map(({ id = '', sequence = 0 }, index) => [id, lengths[index] ?? 0, sequence])
    await this.#append({ ...place, before: this.#written, ...this.#progress, records: known })
    this.#last = records
    this.#written = 0
  }

  /** The first so many of the announced records are in the file. */
  wrote(count: number): void {
    this.#written = count
    for (const { id } of this.#last.slice(0, count)) if (id !== undefined) this.seen.add(id)
  }

  async close(): Promise<void> {
    const handle = this.#handle
    if (handle === undefined) return
    await this.#begin()
    await this.#handle?.close()
    this.#handle = undefined
  }

  /** A file of its own that takes the place of the old one: whoever ends in between leaves one of the two. */
  async #begin(): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o750 })
    const text = `${JSON.stringify({ ...this.#progress, seen: this.seen.text() })}\n`
    const draft = `${this.#path}.new`
    await writeFile(draft, text, { mode: PERMISSIONS })
    await rename(draft, this.#path)
    await this.#handle?.close()
    this.#handle = await open(this.#path, constants.O_WRONLY | constants.O_APPEND, PERMISSIONS)
    this.#bytes = Buffer.byteLength(text)
    this.#last = []
    this.#written = 0
  }

  async #append(line: object): Promise<void> {
    if (this.#handle === undefined) throw new Error('not open')
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`)
    try {
      const { bytesWritten } = await this.#handle.write(bytes)
      if (bytesWritten < bytes.length) throw Object.assign(new Error('short write'), { code: 'ENOSPC' })
      this.#bytes += bytes.length
    } catch (error) {
      // Half a line would make the next one unreadable.
      await this.#handle.truncate(this.#bytes)
      throw error
    }
  }

  async #recover(findRest: FindRest): Promise<void> {
    const [first, ...lines] = await linesOf(this.#path)
    this.seen.restore(first?.get('seen'))
    const intents = lines.map(intentIn)
    const progress = progressIn(lines.at(-1)) ?? progressIn(first)
    const position = progress && new Position(progress.created, progress.floor)
    for (const [index, intent] of intents.entries()) {
      const next = lines[index + 1]?.get('before')
      const count = typeof next === 'number' ? next : await countWritten(intent, findRest)
      for (const [id, , sequence] of intent.records.slice(0, count)) {
        if (id !== '') this.seen.add(id)
        // Sequences of a stream that was made anew since then say nothing of this one.
        if (lines[index]?.get('created') === position?.created) position?.settle(sequence)
      }
    }
    this.#progress = position === undefined ? undefined : { created: position.created, floor: position.floor }
  }
}

async function countWritten({ records, file, at, path }: Intent, findRest: FindRest): Promise<number> {
  const lengths = records.map(([, bytes]) => bytes)
  let rest = (await findRest({ file, at, path }, lengths)) ?? 0
  const tooMany = lengths.findIndex((bytes) => {
    rest -= bytes
    return rest < 0
  })
  return tooMany < 0 ? lengths.length : tooMany
}

async function linesOf(path: string): Promise<readonly ReadonlyMap<string, unknown>[]> {
  try {
    const lines = (await readFile(path, 'utf8')).split('\n')
    // The last one is empty, or was not written completely: then its batch wasn't begun.
    return lines.slice(0, -1).flatMap((line) => decodeMessage(Buffer.from(line)) ?? [])
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}

function intentIn(fields: ReadonlyMap<string, unknown>): Intent {
  const [file, at, path, records] = ['file', 'at', 'path', 'records'].map((name) => fields.get(name))
  if (typeof file !== 'string' || typeof at !== 'number' || !Array.isArray(records)) {
    return { file: '', at: 0, path: '', records: [] }
  }
  return {
    file,
    at,
    path: typeof path === 'string' ? path : '',
    records: records.flatMap((entry: unknown) => {
      const [id, bytes, sequence] = Array.isArray(entry) ? entry : []
      const isEntry = typeof id === 'string' && typeof bytes === 'number' && typeof sequence === 'number'
      return isEntry ? [[id, bytes, sequence] as const] : []
    }),
  }
}
