import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, readdir, rename, rm, unlink } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { errorCode, type Logger } from '@llm-gateway/sdk'

export type RotatedFileSettings = {
  readonly gzip: boolean
  /** The number of rotated files to keep; 0: all. */
  readonly files: number
  /** The days for which a rotated file is kept; 0: for ever. */
  readonly days: number
}

/** A rotated file: its plain form, its compressed form, or both after a kill. */
type Kept = { readonly plain: string; readonly paths: readonly string[]; readonly modifiedMs: number }

type Surroundings = { readonly logger: Pick<Logger, 'warn'>; readonly now: () => number }

const DAY_MS = 86_400_000
const MOST_FILES = 100_000
const DRAFT = '.draft'
const TIME = /^(\d{8}T\d{6}Z)(?:-(\d+))?$/

/**
 * Removes the rotated files beside `path` that are too many or too old, and compresses the others. After a failure,
 * which is logged, it goes on with the next file; the next rotation tries again.
 */
export async function pruneRotatedFiles(
  path: string,
  settings: RotatedFileSettings,
  { logger, now }: Surroundings,
): Promise<void> {
  const isOld = ({ modifiedMs }: Kept): boolean => settings.days > 0 && now() - modifiedMs > settings.days * DAY_MS
  const isGone = (kept: Kept, index: number): boolean => (settings.files > 0 && index >= settings.files) || isOld(kept)
  const tried = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      logger.warn({ code: errorCode(error) }, 'rotated files could not be compressed or removed')
    }
  }
  await tried(async () => {
    const newestFirst = await rotatedFiles(path)
    // A full disk needs the removal first: the compression would fail for lack of room.
    for (const kept of newestFirst.filter(isGone)) await tried(() => removed(kept))
    if (!settings.gzip) return
    const isPlain = ({ plain, paths }: Kept): boolean => paths.includes(plain)
    for (const { plain } of newestFirst.filter((kept, index) => !isGone(kept, index) && isPlain(kept)).toReversed()) {
      await tried(() => compress(plain))
    }
  })
}

/** Returns the rotated files, newest first: their names hold the time. */
async function rotatedFiles(path: string): Promise<readonly Kept[]> {
  const { dir, name, ext } = parse(path)
  const folder = dir === '' ? '.' : dir
  const names = new Map<string, readonly [time: string, number: number, names: readonly string[]]>()
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const plain = entry.name.endsWith('.gz') ? entry.name.slice(0, -3) : entry.name
    const hasForm = plain.startsWith(`${name}-`) && plain.endsWith(ext) && !entry.isDirectory()
    const [, time, number = '0'] = (hasForm && TIME.exec(plain.slice(name.length + 1, plain.length - ext.length))) || []
    const [, , known = []] = names.get(plain) ?? []
    if (time !== undefined) names.set(plain, [time, Number(number), [...known, entry.name]])
  }
  const newestFirst = [...names].sort(([, [one, first]], [, [other, second]]) => {
    return one === other ? second - first : one < other ? 1 : -1
  })
  const kept: Kept[] = []
  for (const [plain, [, , forms]] of newestFirst.slice(0, MOST_FILES)) {
    const paths = forms.map((form) => join(folder, form))
    const times = await Promise.all(paths.map(async (form) => (await lstat(form)).mtimeMs))
    kept.push({ plain: join(folder, plain), paths, modifiedMs: Math.max(...times) })
  }
  return kept
}

async function removed({ plain, paths }: Kept): Promise<void> {
  for (const path of [...paths, `${plain}${DRAFT}`]) await rm(path, { force: true })
}

/**
 * Compresses into a draft that is renamed at the end. A kill leaves the original and a draft, which the next try
 * replaces.
 */
async function compress(path: string): Promise<void> {
  const draft = `${path}${DRAFT}`
  try {
    await pipeline(createReadStream(path), createGzip(), createWriteStream(draft, { mode: 0o640 }))
  } catch (error) {
    // The draft would take the room that a full disk lacks.
    await rm(draft, { force: true })
    throw error
  }
  await rename(draft, `${path}.gz`)
  await unlink(path)
}
