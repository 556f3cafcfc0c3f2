import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArchiveEntry, FileName } from '@llm-gateway/gui-api'
import { type FileText, readText, writeText } from './file-text.ts'

export type Deposit = Pick<ArchiveEntry, 'time' | 'origin' | 'name' | 'note'> & { readonly file: FileText }
export type ArchiveLine = Omit<ArchiveEntry, 'live'>

const MOST_ENTRIES = 1_000
const DIGEST = /^sha256:([0-9a-f]{64})$/

/** Earlier versions: texts named by their digests, and a line for each time that one went live. Nothing is overwritten. */
export class Archive {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Rejects where the folder can't be written. */
  async add(name: FileName, { file, ...about }: Deposit): Promise<void> {
    const folder = join(this.#folder, name)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const path = this.#path(name, file.digest)
    // One that was damaged since is no version any more.
    if (path !== undefined && (await readText(path))?.digest !== file.digest) await writeText(path, file.text)
    const line = { digest: file.digest, bytes: Buffer.byteLength(file.text), ...about }
    // The line before may have been cut by a crash.
    await appendFile(join(folder, 'log.jsonl'), `\n${JSON.stringify(line)}\n`, { mode: 0o600 })
  }

  /** Newest first, at most 1,000. */
  async list(name: FileName): Promise<readonly ArchiveLine[]> {
    const text = await readFile(join(this.#folder, name, 'log.jsonl'), 'utf8').catch(() => '')
    const lines = text.split('\n').filter((line) => line !== '')
    return lines
      .slice(-MOST_ENTRIES)
      .flatMap((line) => parsedLine(name, line))
      .toReversed()
  }

  /** undefined where there is no such version. */
  async read(name: FileName, digest: string): Promise<FileText | undefined> {
    const path = this.#path(name, digest)
    const found = path === undefined ? undefined : await readText(path)
    return found?.digest === digest ? found : undefined
  }

  #path(name: FileName, digest: string): string | undefined {
    const [, hex] = DIGEST.exec(digest) ?? []
    return hex === undefined ? undefined : join(this.#folder, name, hex)
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
    return [] // A line that was cut by a crash tells of nothing.
  }
}
