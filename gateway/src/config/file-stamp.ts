import type { BigIntStats } from 'node:fs'
import { readdir, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Returns a stamp that changes when the file or a value in SECRETS_DIR may have changed, without reading them. A
 * Kubernetes volume swaps its `..data` link for every change, so that the link alone is enough there.
 */
export async function fileStamp(file: string, secretsDir: string | undefined): Promise<string> {
  const stamps = [await statStamp(file)]
  if (secretsDir !== undefined) stamps.push(...(await directoryStamps(secretsDir)))
  return stamps.join('\n')
}

/** Returns an identity that differs for a directory created again, even with the same inode. */
export async function directoryIdentity(directory: string): Promise<string | undefined> {
  const stats = await statOf(directory)
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`
}

async function directoryStamps(directory: string): Promise<readonly string[]> {
  const link = await readlink(join(directory, '..data')).catch(() => undefined)
  if (link !== undefined) return [link]
  const names = (await readdir(directory).catch((): string[] => [])).sort()
  const stamps: string[] = []
  // In parts: fifty thousand questions at once would be one long task.
  for (let at = 0; at < names.length; at += PART) {
    const part = names.slice(at, at + PART)
    stamps.push(...(await Promise.all(part.map(async (name) => `${name} ${await statStamp(join(directory, name))}`))))
  }
  return stamps
}

/** The number of files whose stamps are read side by side. */
const PART = 32

async function statStamp(path: string): Promise<string> {
  const stats = await statOf(path)
  return stats === undefined ? 'none' : `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`
}

function statOf(path: string): Promise<BigIntStats | undefined> {
  return stat(path, { bigint: true }).catch(() => undefined)
}
