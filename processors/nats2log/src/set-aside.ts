import { link, open, rename, unlink } from 'node:fs/promises'
import { parse } from 'node:path'
import { errorCode } from '@llm-gateway/sdk'

const MAX_NUMBER = 9_999

/**
 * Gives a file the name it keeps, with the time: `records.jsonl` → `records-20261122T091500Z.jsonl`; a number follows where
 * that is taken. The new path; undefined where there is no such file.
 */
export async function setAside(path: string, now: Date): Promise<string | undefined> {
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

/** What file systems say that have no links: a share of SMB. */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** Rejects with EEXIST where a file of that name is: a rename alone would take its place. */
async function moveToNew(path: string, kept: string): Promise<void> {
  try {
    await link(path, kept)
    await unlink(path)
  } catch (error) {
    if (!NO_LINKS.has(errorCode(error))) throw error
    await renameToNew(path, kept)
  }
}

/** The name is taken by an empty file first, which the rename then replaces. */
async function renameToNew(path: string, kept: string): Promise<void> {
  await (await open(kept, 'wx')).close()
  try {
    await rename(path, kept)
  } catch (error) {
    await unlink(kept).catch(() => undefined) // What went wrong first is what is told.
    throw error
  }
}
