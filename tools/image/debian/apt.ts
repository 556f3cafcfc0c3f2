import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../parts/run.ts'

/** apt-get with package lists of its own, apart from the machine's. */
export type Apt = {
  /** Downloads the lists; returns the reason when that failed. */
  update(): Promise<string | undefined>
  /** Runs a command in the folder; returns apt-get's error when it failed. */
  get(args: readonly string[]): Promise<string | undefined>
}

export type AptPlace = {
  /** The folder of lists and downloads; made when missing. */
  readonly folder: string
  /** Debian's name of the architecture. */
  readonly architecture: string
  readonly environment: NodeJS.ProcessEnv
}

/** The file of Debian's own sources since Debian 12. The machine's other sources aren't used. */
const SOURCES = '/etc/apt/sources.list.d/debian.sources'

export function openApt({ folder, architecture, environment }: AptPlace): Apt {
  for (const name of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(join(folder, 'apt', name), { recursive: true })
  const settings = {
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
    'Dir::State::lists': join(folder, 'apt/lists'),
    'Dir::Cache': join(folder, 'apt/cache'),
    'Debug::NoLocking': 'true',
    // apt's sandbox user can't write into our folder.
    'APT::Sandbox::User': 'root',
    ...(existsSync(SOURCES) ? { 'Dir::Etc::sourcelist': SOURCES, 'Dir::Etc::sourceparts': '/dev/null' } : {}),
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  const own = { ...environment, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
  const get = (args: readonly string[]) => run('apt-get', [...options, ...args], { cwd: folder, environment: own })
  return { get, update: () => get(['update']) }
}
