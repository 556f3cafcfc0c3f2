import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** A file as it is on disk, secrets included: it stays in this process. */
export type FileText = { readonly digest: string; readonly text: string }

export const MOST_BYTES = 8 * 1024 * 1024

export function fileText(text: string): FileText {
  return { digest: `sha256:${createHash('sha256').update(text).digest('hex')}`, text }
}

/** undefined where there is no file, or one that is no text of at most 8 MiB (gzip, told by its first two bytes, is unpacked). */
export function readText(path: string): Promise<FileText | undefined> {
  return textAt(path, { mostBytes: MOST_BYTES, flag: constants.O_RDONLY })
}

/** The same for a file that only this program writes: a link in its place was made by somebody else. */
export function readOwnText(path: string, mostBytes = MOST_BYTES): Promise<FileText | undefined> {
  return textAt(path, { mostBytes, flag: constants.O_RDONLY | constants.O_NOFOLLOW })
}

type Reading = { readonly mostBytes: number; readonly flag: number }

async function textAt(path: string, { mostBytes, flag }: Reading): Promise<FileText | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined || !found.isFile() || found.size > mostBytes) return undefined
  const bytes = await readFile(path, { flag }).catch(() => undefined)
  const plain = bytes === undefined ? undefined : unpacked(bytes)
  if (plain === undefined) return undefined
  const text = plain.toString()
  // What isn't UTF-8 would come back as something else.
  return Buffer.from(text).equals(plain) ? fileText(text) : undefined
}

/** How many bytes a file's text has at most, without reading it: what is packed may be as large as a text may be. Never rejects. */
export async function textBytes(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined || !found.isFile()) return 0
  const file = await open(path).catch(() => undefined)
  if (file === undefined) return 0
  const beginning = await file.read(Buffer.alloc(2), 0, 2, 0).catch(() => undefined)
  await file.close()
  const isLarge = beginning !== undefined && isPacked(beginning.buffer)
  return isLarge ? Math.max(found.size, MOST_BYTES) : found.size
}

/** Another one tells that the file was changed. Never rejects. */
export async function stampOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  return found === undefined ? '-' : `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`
}

function isPacked(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

function unpacked(bytes: Buffer): Buffer | undefined {
  if (!isPacked(bytes)) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_BYTES })
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}

/** Puts a text in a file's place at one moment, on disk before it is seen; the file keeps its mode. Rejects where it can't. */
export async function writeText(path: string, text: string, newMode = 0o600): Promise<void> {
  // Where the file is a link, its target is replaced.
  await replaceText(await realpath(path).catch(() => path), text, newMode)
}

/** The same for a file that only this program reads, in a folder of its own; a link in its place is replaced, its target left alone. */
export async function writeOwnText(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await replaceText(path, text, 0o600)
}

async function replaceText(target: string, text: string, newMode: number): Promise<void> {
  const found = await lstat(target).catch(() => undefined)
  const mode = found?.isFile() === true ? found.mode : newMode
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}`)
  try {
    // Only its user reads it before it is in its place: a name that is left by a kill would stay as open as the file.
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
      await file.chmod(mode & 0o777)
    } finally {
      await file.close()
    }
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Removes what a kill left in a folder: files half-written, and copies that were judged. Only while nobody writes there. */
export async function removeLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names)
    if (LEFTOVER.test(name)) await rm(join(folder, name), { force: true }).catch(() => undefined)
}

/** As `writeText` and `judge` name them. */
const LEFTOVER =
  /^\.(?:check-[0-9a-f]{12}-[a-z0-9_-]+\.(?:json|conf)|(?:[a-z0-9_-]+\.(?:json|conf)|[a-z0-9_-]+\.(?:json|conf)\.draft\.json|[0-9a-f]{64}|\.check-[0-9a-f]{12}-[a-z0-9_-]+\.(?:json|conf))\.[0-9a-f]{12})$/
