import { constants } from 'node:fs'
import { appendFile, lstat, open } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '@llm-gateway/conf'
import type { ArchiveEntry, FileName } from '@llm-gateway/gui-api'
import { bytesAt } from '../bytes-at.ts'
import { type FileCost, type FileText, fileCost, readOwnText, writeOwnText } from './file-text.ts'

export type ArchivedVersion = Pick<ArchiveEntry, 'time' | 'origin' | 'name' | 'note'> & { readonly file: FileText }
export type ArchiveLine = Omit<ArchiveEntry, 'live'>

const LOG = 'log.jsonl'
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK
const MOST_ENTRIES = 1_000
/** Bytes at the end of the log that are read, for lines of 4 KiB: the log itself has no bound. */
const MOST_LOG_BYTES = MOST_ENTRIES * 4 * 1024
const DIGEST = /^sha256:([0-9a-f]{64})$/

/** Earlier versions: texts named by their digests, and a log line for each time that a text went live. */
export class Archive {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Stores a text without a log line. Rejects when the folder can't be written. */
  async store(name: FileName, file: FileText): Promise<void> {
    const folder = join(this.#folder, name)
    await makeFolder(folder, 0o700)
    // A link in place of the folder would send the files to another place.
    if (!(await lstat(folder)).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' })
    const path = this.#path(name, file.digest)
    // A stored text that was damaged is written again.
    if (path !== undefined && (await readOwnText(path))?.digest !== file.digest) await writeOwnText(path, file.text)
  }

  /** Archives a version that is or was live. Rejects when the folder can't be written. */
  async add(name: FileName, { file, ...about }: ArchivedVersion): Promise<void> {
    await this.store(name, file)
    const line = { digest: file.digest, bytes: Buffer.byteLength(file.text), ...about }
    // The leading line feed ends a line that a crash may have cut.
    await appendFile(join(this.#folder, name, LOG), `\n${JSON.stringify(line)}\n`, { mode: 0o600, flag: APPEND })
  }

  /** Lists the versions, newest first, at most 1,000. */
  async list(name: FileName): Promise<readonly ArchiveLine[]> {
    const text = await endOf(join(this.#folder, name, LOG))
    const lines = text.split('\n').filter((line) => line !== '')
    return lines
      .slice(-MOST_ENTRIES)
      .flatMap((line) => parsedLine(name, line))
      .toReversed()
  }

  /** Returns a version's text; undefined if there is no such version. */
  async read(name: FileName, digest: string): Promise<FileText | undefined> {
    const path = this.#path(name, digest)
    const found = path === undefined ? undefined : await readOwnText(path)
    return found?.digest === digest ? found : undefined
  }

  /** Returns the cost of a version; undefined for an impossible digest. */
  async cost(name: FileName, digest: string): Promise<FileCost | undefined> {
    const path = this.#path(name, digest)
    return path === undefined ? undefined : await fileCost(path)
  }

  #path(name: FileName, digest: string): string | undefined {
    const [, hex] = DIGEST.exec(digest) ?? []
    return hex === undefined ? undefined : join(this.#folder, name, hex)
  }
}

/** Returns the last lines of a log; empty if there is none. The first one may be a part of a line. */
async function endOf(path: string): Promise<string> {
  const handle = await open(path, READ).catch(() => undefined)
  if (handle === undefined) return ''
  try {
    const found = await handle.stat()
    const from = Math.max(0, found.size - MOST_LOG_BYTES)
    return found.isFile() ? Buffer.from(await bytesAt(handle, from, found.size - from)).toString() : ''
  } finally {
    await handle.close()
  }
}

function parsedLine(file: FileName, line: string): readonly ArchiveLine[] {
  try {
    const { digest, time, origin, name, note, bytes } = Object(JSON.parse(line))
    if (typeof digest !== 'string' || !DIGEST.test(digest)) return []
    const how = origin === 'deployed' ? 'deployed' : 'found'
    return [
      { file, digest, time: String(time), origin: how, name: String(name), note: String(note), bytes: Number(bytes) },
    ]
  } catch {
    return [] // The line was cut by a crash.
  }
}
