import { link, open, rename, unlink } from 'node:fs/promises'
import { parse } from 'node:path'
import { errorCode } from '@llm-gateway/sdk'

const MAX_NUMBER = 9_999

/**
 * Renames a file to its rotated name with the time: `records.jsonl` → `records-20261122T091500Z.jsonl`, and with a
 * number when the name is taken. Returns the new path; undefined when the file doesn't exist.
 */
export async function rotateFile(path: string, now: Date): Promise<string | undefined> {
  const { dir, name, ext } = parse(path)
  const time = now
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(/[-:]/g, '')
  for (let number = 0; number <= MAX_NUMBER; number++) {
    const kept = `${dir === '' ? '.' : dir}/${name}-${time}${number === 0 ? '' : `-${number}`}${ext}`
    try {
      await moveToNew(path, kept)
      return kept
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
  throw Object.assign(new Error('no name left'), { code: 'EEXIST' })
}

/** Error codes of file systems without hard links, such as an SMB share. */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** Moves a file and rejects with EEXIST when the target exists; a plain rename would replace it. */
async function moveToNew(path: string, kept: string): Promise<void> {
  try {
    await link(path, kept)
    await unlink(path)
  } catch (error) {
    if (!NO_LINKS.has(errorCode(error))) throw error
    await renameToNew(path, kept)
  }
}

/** Reserves the name with an empty file, which the rename replaces. */
async function renameToNew(path: string, kept: string): Promise<void> {
  await (await open(kept, 'wx')).close()
  try {
    await rename(path, kept)
  } catch (error) {
    await unlink(kept).catch(() => undefined) // the caller gets the rename's error
    throw error
  }
}
