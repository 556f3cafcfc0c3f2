import { constants } from 'node:fs'
import { type FileHandle, open, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '@llm-gateway/conf'
import { decodeMessage } from '@llm-gateway/protocol'
import { errorCode } from '@llm-gateway/sdk'
import { type Checkpoint, type CheckpointStore, checkpointIn } from '../../checkpoints/checkpoint-store.ts'
import { Position } from '../../checkpoints/position.ts'
import { SeenRecords } from '../../checkpoints/seen-records.ts'
import type { SinkRecord } from '../writer.ts'

/** The place of the next write: a file's identity, which survives renames, and an offset. */
export type WritePlace = { readonly file: string; readonly at: number; readonly path: string }

/** An announced batch: for each record its id, the length of its line, and its sequence. */
type Intent = WritePlace & { readonly records: readonly (readonly [id: string, bytes: number, sequence: number])[] }

/**
 * Returns the bytes of whole records that the file has after `at`, and cuts off a partial record; undefined when the
 * file can't be found.
 */
export type RecoverWrite = (place: WritePlace, lengths: readonly number[]) => Promise<number | undefined>

const PERMISSIONS = 0o640
/** The size at which a new journal is begun. */
const MOST_BYTES = 4 * 1024 * 1024

/**
 * The journal of a file of records. Each batch is announced here before it is written. A sink that was killed in
 * between learns from the file's size which records were written, so none is lost or duplicated. The journal is lines
 * of JSON: a start (position and known ids), then one line per batch.
 */
export class RecordJournal implements CheckpointStore {
  readonly seen = new SeenRecords()
  readonly #path: string
  #handle: FileHandle | undefined
  #bytes = 0
  #file = ''
  #progress: Checkpoint | undefined
  /** The number of the announced batch's records that are in the file. */
  #written = 0
  #last: readonly SinkRecord[] = []

  constructor(path: string) {
    this.#path = path
  }

  get isOpen(): boolean {
    return this.#handle !== undefined
  }

  async load(): Promise<Checkpoint | undefined> {
    return this.#progress
  }

  /** Stores the progress, which is written with the next batch. */
  async save({ created, floor, newestMs }: Checkpoint): Promise<void> {
    this.#progress = { created, floor, newestMs }
  }

  /** Reads an earlier sink's journal and begins a new journal. */
  async open(recoverWrite: RecoverWrite): Promise<void> {
    await this.#recover(recoverWrite)
    await this.#begin()
  }

  /** Announces a batch; rejects with the system's errors. */
  async announce(place: WritePlace, records: readonly SinkRecord[], lengths: readonly number[]): Promise<void> {
    // When the file was removed with its folder, this journal was removed too.
    if (this.#bytes > MOST_BYTES || place.file !== this.#file) await this.#begin()
    this.#file = place.file
    const known = records.map(({ id = '', sequence = 0 }, index) => [id, lengths[index] ?? 0, sequence])
    await this.#append({ ...place, before: this.#written, ...this.#progress, records: known })
    this.#last = records
    this.#written = 0
  }

  /** Notes that the first `count` announced records are in the file. */
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

  /** Writes a new journal and renames it over the old journal, so a kill leaves one of the two. */
  async #begin(): Promise<void> {
    await makeFolder(dirname(this.#path), 0o750)
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
      // A partial line would make the next line unreadable.
      await this.#handle.truncate(this.#bytes)
      throw error
    }
  }

  async #recover(recoverWrite: RecoverWrite): Promise<void> {
    const [first, ...lines] = await linesOf(this.#path)
    this.seen.restore(first?.get('seen'))
    const intents = lines.map(intentIn)
    const progress = checkpointIn(lines.at(-1)) ?? checkpointIn(first)
    const position = progress && new Position(progress)
    for (const [index, intent] of intents.entries()) {
      const next = lines[index + 1]?.get('before')
      const count = typeof next === 'number' ? next : await countWritten(intent, recoverWrite)
      for (const [id, , sequence] of intent.records.slice(0, count)) {
        if (id !== '') this.seen.add(id)
        // Sequences of an older stream of the same name say nothing about this stream.
        if (lines[index]?.get('created') === position?.created) position?.settle(sequence)
      }
    }
    this.#progress = position && { created: position.created, floor: position.floor, newestMs: progress?.newestMs }
  }
}

async function countWritten({ records, file, at, path }: Intent, recoverWrite: RecoverWrite): Promise<number> {
  const lengths = records.map(([, bytes]) => bytes)
  let rest = (await recoverWrite({ file, at, path }, lengths)) ?? 0
  const tooMany = lengths.findIndex((bytes) => {
    rest -= bytes
    return rest < 0
  })
  return tooMany < 0 ? lengths.length : tooMany
}

async function linesOf(path: string): Promise<readonly ReadonlyMap<string, unknown>[]> {
  try {
    const lines = (await readFile(path, 'utf8')).split('\n')
    // The last line is empty, or incomplete: then the writing of its batch had not begun.
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
