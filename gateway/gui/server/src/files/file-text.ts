import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** A file as it is on disk, secrets included: it stays in this process. */
export type FileText = { readonly digest: string; readonly text: string }

export const MOST_BYTES = 8 * 1024 * 1024

export function fileText(text: string): FileText {
  return { digest: `sha256:${createHash('sha256').update(text).digest('hex')}`, text }
}

/** undefined where there is no file, or one that is no text of at most 8 MiB (gzip, told by its first two bytes, is unpacked). */
export async function readText(path: string, mostBytes = MOST_BYTES): Promise<FileText | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined || !found.isFile() || found.size > mostBytes) return undefined
  const bytes = await readFile(path).catch(() => undefined)
  const plain = bytes === undefined ? undefined : unpacked(bytes)
  if (plain === undefined) return undefined
  const text = plain.toString()
  // What isn't UTF-8 would come back as something else.
  return Buffer.from(text).equals(plain) ? fileText(text) : undefined
}

function unpacked(bytes: Buffer): Buffer | undefined {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_BYTES })
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}

/** Puts a text in a file's place at one moment, on disk before it is seen; the file keeps its mode. Rejects where it can't. */
export async function writeText(path: string, text: string, newMode = 0o600): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // Where the file is a link, its target is replaced.
  const target = await realpath(path).catch(() => path)
  const mode = (await stat(target).catch(() => undefined))?.mode ?? newMode
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}`)
  try {
    const file = await open(temporary, 'wx', mode & 0o777)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
