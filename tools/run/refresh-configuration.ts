import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export type ConfigurationFolders = {
  /** The shipped files, `conf/`. */
  readonly shipped: string
  /** The copy that is run and may be edited, `.run/app/conf`. */
  readonly live: string
  /** Remembers what was copied: how an edit is told from an older shipped file. */
  readonly journal: string
}

const CODE = new Set(['src', 'node_modules', 'examples'])
const NOT_SHIPPED = new Set(['package.json', 'tsconfig.json'])

/** Copies what is new or newer in the shipped files; what someone edited stays as it is. Returns the edited files that have a newer shipped one. */
export function refreshConfiguration({ shipped, live, journal }: ConfigurationFolders): readonly string[] {
  const copied: Readonly<Record<string, string>> = existsSync(journal) ? JSON.parse(readFileSync(journal, 'utf8')) : {}
  const names = shippedFiles(shipped)
  const stale: string[] = []
  for (const name of names) {
    const bytes = readFileSync(join(shipped, name))
    const target = join(live, name)
    const found = existsSync(target) ? hash(readFileSync(target)) : undefined
    if (found === undefined || found === copied[name]) {
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, bytes)
    } else if (hash(bytes) !== copied[name] && hash(bytes) !== found) stale.push(name)
  }
  for (const [name, digest] of Object.entries(copied)) {
    const target = join(live, name)
    if (!names.includes(name) && existsSync(target) && hash(readFileSync(target)) === digest) rmSync(target)
  }
  const seen = names.map((name) => [
    name,
    stale.includes(name) ? (copied[name] ?? '') : hash(readFileSync(join(shipped, name))),
  ])
  writeFileSync(journal, `${JSON.stringify(Object.fromEntries(seen), undefined, 2)}\n`)
  return stale
}

function shippedFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:json|conf)$/.test(path))
    .filter((path) => !NOT_SHIPPED.has(basename(path)) && !path.split('/').some((part) => CODE.has(part)))
    .toSorted()
}

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
