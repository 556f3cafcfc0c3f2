import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export type ConfigurationFolders = {
  /** Folders of shipped files; a later folder overrides files of the same name. */
  readonly shipped: readonly string[]
  /** The copy in use, which people may edit: `.run/app/conf`. */
  readonly live: string
  /** Stores the hashes of copied files, which tell an edit from an older shipped file. */
  readonly journal: string
}

const SKIPPED_FOLDERS = new Set(['src', 'node_modules', 'examples'])
const SKIPPED_FILES = new Set(['package.json', 'tsconfig.json'])

/** The name of an edited file, and the newer shipped file. */
export type StaleFile = { readonly name: string; readonly shipped: string }

/**
 * Copies new and changed shipped files, removes copies of files that are no longer shipped, and keeps edited files.
 * Returns the edited files whose shipped file has changed.
 */
export function refreshConfiguration({ shipped, live, journal }: ConfigurationFolders): readonly StaleFile[] {
  const copied: Readonly<Record<string, string>> = existsSync(journal) ? JSON.parse(readFileSync(journal, 'utf8')) : {}
  const files = new Map(shipped.flatMap((folder) => shippedFiles(folder).map((name) => [name, join(folder, name)])))
  const stale = new Map<string, string>()
  for (const [name, source] of files) {
    const bytes = readFileSync(source)
    const target = join(live, name)
    const found = existsSync(target) ? hash(readFileSync(target)) : undefined
    if (found === undefined || found === copied[name]) {
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, bytes)
    } else if (hash(bytes) !== copied[name] && hash(bytes) !== found) stale.set(name, source)
  }
  for (const [name, digest] of Object.entries(copied)) {
    const target = join(live, name)
    if (!files.has(name) && existsSync(target) && hash(readFileSync(target)) === digest) rmSync(target)
  }
  const seen = [...files].map(([name, source]) => [
    name,
    stale.has(name) ? (copied[name] ?? '') : hash(readFileSync(source)),
  ])
  writeFileSync(journal, `${JSON.stringify(Object.fromEntries(seen), undefined, 2)}\n`)
  return [...stale].map(([name, source]) => ({ name, shipped: source }))
}

function shippedFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:json|conf)$/.test(path))
    .filter((path) => !SKIPPED_FILES.has(basename(path)) && !path.split('/').some((part) => SKIPPED_FOLDERS.has(part)))
    .toSorted()
}

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
