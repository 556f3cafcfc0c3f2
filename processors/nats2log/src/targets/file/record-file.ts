import { constants } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { dirname, parse } from 'node:path'
import { makeFolder } from '@llm-gateway/conf'
import { errorCode } from '@llm-gateway/sdk'
import { endLastLine, endsInsideLine } from './end-last-line.ts'
import type { WritePlace } from './record-journal.ts'
import { rotateFile } from './rotate-file.ts'

/**
 * The treatment of an existing file: `new` leaves it and numbers the new file (`records.jsonl`, `records.1.jsonl`),
 * `overwrite` renames it.
 */
export type WriteMode = 'append' | 'overwrite' | 'new'

type Progress = { bytes: number }
type Opened = {
  readonly handle: FileHandle
  readonly path: string
  readonly file: string
  /** The time at which the file was begun, in milliseconds since the epoch. */
  readonly sinceMs: number
}

const { O_RDWR, O_CREAT, O_APPEND, O_EXCL } = constants
const APPEND = O_RDWR | O_CREAT | O_APPEND
/** Records hold people's texts, so other users of the machine may not read them. */
const FILE_PERMISSIONS = 0o640
const DIRECTORY_PERMISSIONS = 0o750
const MAX_NUMBER = 9_999
const LINE_END = Uint8Array.of(0x0a)
/** No file has this size. */
const NOWHERE = -1

/** A file that is appended to, made with its directory and again after a rotation. Rejects with the system's errors. */
export class RecordFile {
  readonly #filename: string
  readonly #mode: WriteMode
  readonly #now: () => number
  #opened: Opened | undefined
  /** The chosen path; a rotated file is made again under the same path. */
  #path: string | undefined
  /** True when the file ends inside a line, which must be completed or removed before the next line. */
  #torn = false
  /** The size after the last append; a file of another size was changed by another program. */
  #end = NOWHERE

  /** `now`: milliseconds since the epoch. */
  constructor(filename: string, mode: WriteMode, now: () => number) {
    this.#filename = filename
    this.#now = now
    this.#mode = mode
  }

  /** Opens the file; opens it again when it was moved or removed. */
  async open(): Promise<void> {
    if (this.#opened !== undefined && (await isCurrent(this.#opened))) return
    await this.close()
    const { handle, path } = await this.#choose()
    this.#path = path
    const stats = await handle.stat()
    if (stats.isFIFO()) {
      await handle.close()
      // Without a reader a write to a pipe never ends, and nobody could end the process in order.
      throw Object.assign(new Error('a pipe'), { code: 'NOT_A_FILE' })
    }
    const sinceMs = stats.size === 0 ? this.#now() : stats.birthtimeMs
    this.#opened = { handle, path, file: fileIdentity(stats), sinceMs }
    this.#end = NOWHERE
  }

  /** Completes or removes a partial line, then returns the place of the next line and the file's start time. */
  async place(): Promise<WritePlace & { readonly sinceMs: number }> {
    if (this.#opened === undefined) throw new Error('not open')
    const { handle, file, path, sinceMs } = this.#opened
    const { size } = await handle.stat()
    // A kill in the middle of a write leaves part of a record, and so does a program that truncates the file.
    if (size !== this.#end) this.#torn = await endsInsideLine(handle, size)
    if (this.#torn) await endLastLine(handle)
    this.#torn = false
    this.#end = (await handle.stat()).size
    return { file, path, sinceMs, at: this.#end }
  }

  /**
   * Appends lines with as few system calls as possible, usually one. Returns the number of complete lines in the file,
   * and the error that stopped the rest.
   */
  async append(lines: readonly Uint8Array[]): Promise<{ readonly lines: number; readonly error?: unknown }> {
    if (this.#opened === undefined) return { lines: 0, error: new Error('not open') }
    const { handle } = this.#opened
    const pieces = lines.flatMap((line) => [line, LINE_END])
    const progress: Progress = { bytes: 0 }
    try {
      await writeAll(handle, pieces, progress)
      this.#end += progress.bytes
      return { lines: lines.length }
    } catch (error) {
      const complete = completeLines(lines, progress.bytes)
      if (complete.bytes < progress.bytes) await this.#cutBack(handle)
      return { lines: complete.count, error }
    }
  }

  /** Resolves once the disk has the appended lines; when the sync fails, the file is cut back to `at`. */
  async sync(at: number): Promise<void> {
    try {
      await this.#opened?.handle.datasync()
    } catch (error) {
      await this.#opened?.handle.truncate(at)
      throw error
    }
  }

  /** Renames the file to its rotated name; the next `open` makes a new file. */
  async rotateFile(): Promise<void> {
    const path = this.#opened?.path
    await this.close()
    if (path !== undefined) await rotateFile(path, new Date(this.#now()))
  }

  /** Removes a partial line from the end of the file; when that fails, the next append tries again. */
  async #cutBack(handle: FileHandle): Promise<void> {
    try {
      await endLastLine(handle)
    } catch {
      this.#torn = true
    }
  }

  async close(): Promise<void> {
    const opened = this.#opened
    this.#opened = undefined
    await opened?.handle.close()
  }

  async #choose(): Promise<{ readonly handle: FileHandle; readonly path: string }> {
    const path = this.#path ?? this.#filename
    await makeFolder(dirname(path), DIRECTORY_PERMISSIONS)
    if (this.#path === undefined && this.#mode === 'new') return await openNew(path)
    if (this.#path === undefined && this.#mode === 'overwrite') await rotateFile(path, new Date(this.#now()))
    return { handle: await openWith(path, APPEND), path }
  }
}

/** Returns an identity of a file, which differs from that of other files at the same path. */
export function fileIdentity({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}-${ino}`
}

/** Writes all pieces. After a short write, the next call goes on or fails because the disk is full. */
async function writeAll(handle: FileHandle, pieces: readonly Uint8Array[], progress: Progress): Promise<void> {
  progress.bytes = (await handle.writev(pieces)).bytesWritten
  const all = pieces.reduce((sum, piece) => sum + piece.length, 0)
  while (progress.bytes < all) {
    progress.bytes += (await handle.write(Buffer.concat(pieces).subarray(progress.bytes))).bytesWritten
  }
}

function completeLines(
  lines: readonly Uint8Array[],
  written: number,
): { readonly count: number; readonly bytes: number } {
  let count = 0
  let bytes = 0
  for (const line of lines) {
    if (bytes + line.length + LINE_END.length > written) break
    bytes += line.length + LINE_END.length
    count += 1
  }
  return { count, bytes }
}

async function openNew(filename: string): Promise<{ readonly handle: FileHandle; readonly path: string }> {
  const { dir, name, ext } = parse(filename)
  for (let number = 0; ; number++) {
    const path = number === 0 ? filename : `${dir === '' ? '.' : dir}/${name}.${number}${ext}`
    try {
      return { handle: await openWith(path, APPEND | O_EXCL), path }
    } catch (error) {
      if (errorCode(error) !== 'EEXIST' || number === MAX_NUMBER) throw error
    }
  }
}

async function openWith(path: string, flags: number): Promise<FileHandle> {
  return await open(path, flags, FILE_PERMISSIONS)
}

async function isCurrent({ path, file }: Opened): Promise<boolean> {
  try {
    return fileIdentity(await stat(path)) === file
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}
