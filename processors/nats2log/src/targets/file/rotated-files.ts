import { createReadStream, createWriteStream } from 'node:fs'
import { readdir, rename, stat, unlink } from 'node:fs/promises'
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

type Kept = { readonly path: string; readonly modifiedMs: number }

const DAY_MS = 86_400_000
const MOST_FILES = 100_000
const DRAFT = '.draft'
const TIME = /^\d{8}T\d{6}Z(?:-\d+)?$/

/**
 * Compresses the rotated files beside `path` and removes those that are too many or too old. A failure is logged; the
 * next rotation tries again.
 */
export async function pruneRotatedFiles(
  path: string,
  settings: RotatedFileSettings,
  { logger, now }: { readonly logger: Pick<Logger, 'warn'>; readonly now: () => number },
): Promise<void> {
  try {
    if (settings.gzip) {
      for (const { path: kept } of await rotatedFiles(path)) if (!kept.endsWith('.gz')) await compress(kept)
    }
    const newestFirst = (await rotatedFiles(path)).toReversed()
    const isOld = ({ modifiedMs }: Kept): boolean => settings.days > 0 && now() - modifiedMs > settings.days * DAY_MS
    const gone = newestFirst.filter((kept, index) => (settings.files > 0 && index >= settings.files) || isOld(kept))
    for (const kept of gone) await unlink(kept.path)
  } catch (error) {
    logger.warn({ code: errorCode(error) }, 'rotated files could not be compressed or removed')
  }
}

/** Returns the rotated files, oldest first: their names hold the time. */
async function rotatedFiles(path: string): Promise<readonly Kept[]> {
  const { dir, name, ext } = parse(path)
  const folder = dir === '' ? '.' : dir
  const isKept = (candidate: string): boolean => {
    const plain = candidate.endsWith('.gz') ? candidate.slice(0, -3) : candidate
    const hasForm = plain.startsWith(`${name}-`) && plain.endsWith(ext)
    return hasForm && TIME.test(plain.slice(name.length + 1, plain.length - ext.length))
  }
  const names = (await readdir(folder)).filter(isKept).sort()
  const kept: Kept[] = []
  for (const candidate of names.slice(0, MOST_FILES)) {
    const file = join(folder, candidate)
    kept.push({ path: file, modifiedMs: (await stat(file)).mtimeMs })
  }
  return kept
}

/**
 * Compresses into a draft that is renamed at the end. A kill leaves the original and a draft, which the next try
 * replaces.
 */
async function compress(path: string): Promise<void> {
  const draft = `${path}${DRAFT}`
  await pipeline(createReadStream(path), createGzip(), createWriteStream(draft, { mode: 0o640 }))
  await rename(draft, `${path}.gz`)
  await unlink(path)
}
