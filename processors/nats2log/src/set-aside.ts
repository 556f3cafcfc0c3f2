import { link, unlink } from 'node:fs/promises'
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
      // A rename would take the place of a file of that name.
      await link(path, kept)
      await unlink(path)
      return kept
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
  throw Object.assign(new Error('no name left'), { code: 'EEXIST' })
}
