import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { makeFolder, readRegularFile } from '@llm-gateway/conf'
import { errorCode } from '@llm-gateway/conf/failure'
import { textWork } from './text-work.ts'

/** A file's text with its secrets. The text stays in this process. */
export type FileText = { readonly digest: string; readonly text: string }

export const MOST_BYTES = 8 * 1024 * 1024
/** The values of larger files are not counted: a thread works on them anyway. */
export const MOST_COUNTED = 64 * 1024

export function fileText(text: string): FileText {
  return { digest: `sha256:${createHash('sha256').update(text).digest('hex')}`, text }
}

/** A file has become larger, or of more values, than when its work was counted: the work belongs to a thread. */
export class GrownTextError extends Error {}

/**
 * Reads a text of at most 8 MiB, unpacking gzip; undefined if there is no file, or one that is larger or not UTF-8.
 * Rejects with a GrownTextError for a text with more than `mostWork`.
 */
export function readText(path: string, mostWork?: number): Promise<FileText | undefined> {
  return textAt(path, { limitBytes: MOST_BYTES, mostWork })
}

type OwnLimits = { readonly mostBytes?: number; readonly mostWork?: number | undefined }

/** Reads a file that only this program writes. A link in its place was made by somebody else and is not followed. */
export function readOwnText(
  path: string,
  { mostBytes = MOST_BYTES, mostWork }: OwnLimits = {},
): Promise<FileText | undefined> {
  return textAt(path, { limitBytes: mostBytes, followsLinks: false, mostWork })
}

type ReadOptions = Parameters<typeof readRegularFile>[1] & { readonly mostWork: number | undefined }

async function textAt(path: string, { mostWork, ...options }: ReadOptions): Promise<FileText | undefined> {
  const reading = await readRegularFile(path, options).catch(() => undefined)
  if (reading?.kind === 'read' && mostWork !== undefined && isMore(reading.bytes, mostWork)) throw new GrownTextError()
  const plain = reading?.kind === 'read' ? unpacked(reading.bytes) : undefined
  if (plain === undefined) return undefined
  const text = plain.toString()
  // Bytes that are not UTF-8 would be changed by a save.
  return Buffer.from(text).equals(plain) ? fileText(text) : undefined
}

function isMore(bytes: Uint8Array, work: number): boolean {
  return bytes.length > work || isPacked(bytes) || textWork(bytes) > work
}

/** The size of a file, and an upper bound of the work on its text. */
export type FileCost = { readonly bytes: number; readonly work: number }

const NO_COST: FileCost = { bytes: 0, work: 0 }

/**
 * Returns upper bounds for a file's text. A packed file counts as at least 8 MiB, and the values of a file of more than
 * 64 KiB are not counted. Never rejects.
 */
export async function fileCost(path: string): Promise<FileCost> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined || !found.isFile()) return NO_COST
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined)
  if (file === undefined) return NO_COST
  const { size } = found
  const beginning = Buffer.alloc(size > MOST_COUNTED ? 2 : Math.max(size, 2))
  const read = await file.read(beginning, 0, beginning.length, 0).catch(() => undefined)
  await file.close()
  const bytes = read !== undefined && isPacked(beginning) ? Math.max(size, MOST_BYTES) : size
  return { bytes, work: Math.max(bytes, textWork(beginning)) }
}

/** Returns a stamp that changes when the file changes. Never rejects. */
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

/** Replaces a file in one step, once its text is on the disk. Keeps the mode, where files have modes. Rejects if the file can't be written. */
export async function writeText(path: string, text: string, newMode = 0o600): Promise<void> {
  // If the path is a link, its target is replaced.
  await replaceText(await realpath(path).catch(() => path), text, newMode)
}

/**
 * Replaces a file in a folder that only this program reads. A link in its place is replaced and its target left alone.
 */
export async function writeOwnText(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path), 0o700)
  await replaceText(path, text, 0o600)
}

async function replaceText(target: string, text: string, newMode: number): Promise<void> {
  const found = await lstat(target).catch(() => undefined)
  const mode = found?.isFile() === true ? found.mode : newMode
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}`)
  try {
    // Until the rename only the user may read it: a temporary file left by a kill must not be as open as the final
    // file.
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
      await setMode(file, mode & 0o777)
    } finally {
      await file.close()
    }
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** A share has no modes of its own, and refuses their change. */
const MODELESS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP'])

async function setMode(file: FileHandle, mode: number): Promise<void> {
  try {
    await file.chmod(mode)
  } catch (error) {
    if (!MODELESS.has(errorCode(error))) throw error
  }
}

/**
 * Removes half-written files and copies for checks that a kill left in a folder. Call it only while no one writes
 * there.
 */
export async function removeLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names)
    if (LEFTOVER.test(name)) await rm(join(folder, name), { force: true }).catch(() => undefined)
}

/** Matches the names that `writeText` and `judge` give to their temporary files. */
const LEFTOVER =
  /^\.(?:check-[0-9a-f]{12}-[a-z0-9_-]+\.(?:json|conf)|(?:[a-z0-9_-]+\.(?:json|conf)|[a-z0-9_-]+\.(?:json|conf)\.draft\.json|[0-9a-f]{64}|\.check-[0-9a-f]{12}-[a-z0-9_-]+\.(?:json|conf))\.[0-9a-f]{12})$/
