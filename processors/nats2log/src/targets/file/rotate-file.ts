import { access, link, open, rename, unlink } from 'node:fs/promises'
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
  throw taken()
}

/** Error codes of file systems without hard links, such as an SMB share. */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** Moves a file and rejects with EEXIST when the target or its compressed form exists; a plain rename would replace it. */
async function moveToNew(path: string, kept: string): Promise<void> {
  if (await isCompressed(kept)) throw taken()
  const isLinked = await reserve(path, kept)
  try {
    // The compression of an earlier file of this name may have ended since the first look. Its result must stay.
    if (await isCompressed(kept)) throw taken()
    if (!isLinked) await rename(path, kept)
  } catch (error) {
    await unlink(kept).catch(() => undefined) // the first error is the one to report
    throw error
  }
  if (isLinked) await unlink(path)
}

/** Links the file to the new name, else reserves the name with an empty file; returns whether it is a link. */
async function reserve(path: string, kept: string): Promise<boolean> {
  try {
    await link(path, kept)
    return true
  } catch (error) {
    if (!NO_LINKS.has(errorCode(error))) throw error
    await (await open(kept, 'wx')).close()
    return false
  }
}

async function isCompressed(kept: string): Promise<boolean> {
  try {
    await access(`${kept}.gz`)
    return true
  } catch {
    return false // no such file; any other reason stops the rename too
  }
}

function taken(): Error {
  return Object.assign(new Error('name taken'), { code: 'EEXIST' })
}
