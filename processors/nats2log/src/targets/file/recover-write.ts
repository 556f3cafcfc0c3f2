import { open, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, parse } from 'node:path'
import { errorCode } from '@llm-gateway/sdk'
import { fileIdentity } from './record-file.ts'
import type { RecoverWrite } from './record-journal.ts'

/** The search through a folder ends after this many files. */
const MOST_FILES = 10_000

/** Finds the file of an interrupted write, under its path or its rotated name, and cuts off a partial record. */
export function createWriteRecovery(filename: string): RecoverWrite {
  return async ({ file, at, path }, lengths) => {
    const found = await pathOf(file, path || filename)
    if (found === undefined) return undefined
    const { size } = await stat(found)
    const whole = wholeLines(size - at, lengths)
    const all = lengths.reduce((sum, length) => sum + length, 0)
    // Another program has written to a larger file, so the file isn't cut.
    if (size > at + whole && size < at + all) await cut(found, at + whole)
    return whole
  }
}

function wholeLines(bytes: number, lengths: readonly number[]): number {
  let whole = 0
  for (const length of lengths) {
    if (whole + length > bytes) break
    whole += length
  }
  return whole
}

async function cut(path: string, size: number): Promise<void> {
  const handle = await open(path, 'r+')
  await handle.truncate(size)
  await handle.close()
}

async function pathOf(file: string, path: string): Promise<string | undefined> {
  const folder = dirname(path)
  const beginning = parse(basename(path)).name
  const names = (await readdir(folder)).filter((name) => name.startsWith(beginning))
  for (const name of [basename(path), ...names.slice(0, MOST_FILES)]) {
    const candidate = join(folder, name)
    try {
      if (fileIdentity(await stat(candidate)) === file) return candidate
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
    }
  }
  return undefined
}
