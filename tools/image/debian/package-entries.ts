import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Entry, file, link, text } from '../entry.ts'
import type { DebianPackage } from './fetch-packages.ts'

/**
 * Files that no program here reads: documents without licences, iconv's character sets, files for login shells and
 * debuggers.
 */
const LEFT_OUT =
  /^etc\/(?!os-release$|debian_version$)|^usr\/share\/(?!doc\/|common-licenses\/)|^usr\/share\/doc\/[^/]+\/(?!copyright$)|\/(gconv|audit)\//

/** Returns the packages' files and dpkg's database of them, which scanners read. */
export function packageEntries(packages: readonly DebianPackage[]): readonly Entry[] {
  const found = packages.map((source) => ({
    control: readControl(source),
    entries: filesOf(join(source.folder, 'files')),
  }))
  const stanzas = found.map(({ control }) => control.stanza)
  return [
    ...found.flatMap(({ entries }) => entries),
    text('var/lib/dpkg/status', `${stanzas.join('\n\n')}\n`),
    ...found.flatMap(({ control, entries }) => databaseEntries(control, entries)),
  ]
}

type Control = { readonly stanza: string; readonly name: string; readonly sums: string }

function readControl({ folder }: DebianPackage): Control {
  const read = (name: string) => {
    const path = join(folder, 'control', name)
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  }
  const control = read('control').trimEnd()
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(control)?.[1] ?? ''
  // dpkg's name for a package that can be installed for two architectures at once.
  const suffix = field('Multi-Arch') === 'same' ? `:${field('Architecture')}` : ''
  return {
    stanza: control.replace('\n', '\nStatus: install ok installed\n'),
    name: `${field('Package')}${suffix}`,
    sums: read('md5sums'),
  }
}

function databaseEntries({ name, sums }: Control, entries: readonly Entry[]): readonly Entry[] {
  const paths = entries.map(({ path }) => path)
  const kept = sums.split('\n').filter((line) => paths.includes(line.slice(line.indexOf('  ') + 2)))
  const folders = new Set(paths.flatMap((path) => path.split('/').map((_, at, parts) => parts.slice(0, at).join('/'))))
  const list = [...new Set([...folders, ...paths])].toSorted().map((path) => `/${path || '.'}`)
  return [
    text(`var/lib/dpkg/info/${name}.list`, `${list.join('\n')}\n`),
    text(`var/lib/dpkg/info/${name}.md5sums`, kept.map((line) => `${line}\n`).join('')),
  ]
}

/** Returns the files of a folder; directories are added later as files need them. */
function filesOf(folder: string, below = ''): readonly Entry[] {
  return readdirSync(join(folder, below))
    .toSorted()
    .flatMap((name): readonly Entry[] => {
      const path = below === '' ? name : `${below}/${name}`
      const from = join(folder, path)
      const found = lstatSync(from)
      if (found.isDirectory()) return filesOf(folder, path)
      if (LEFT_OUT.test(path)) return []
      if (found.isSymbolicLink()) return [link(path, readlinkSync(from))]
      return [file(path, () => readFileSync(from), found.mode & 0o755)]
    })
}
