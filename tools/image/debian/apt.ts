import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../parts/run.ts'

/** apt-get with lists of its own, which leave the machine's alone. */
export type Apt = {
  /** Fetches the lists; undefined, or why they could not be fetched. */
  update(): Promise<string | undefined>
  /** Runs a command in the folder; undefined, or what apt-get said. */
  get(args: readonly string[]): Promise<string | undefined>
}

export type AptPlace = {
  /** Made where it isn't there; what is downloaded lies in it. */
  readonly folder: string
  /** As Debian calls it. */
  readonly architecture: string
  readonly environment: NodeJS.ProcessEnv
}

/** Where Debian's own sources stand since Debian 12; a machine's other sources are none of ours. */
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
    // apt's own sandbox user can't write into a folder of ours.
    'APT::Sandbox::User': 'root',
    ...(existsSync(SOURCES) ? { 'Dir::Etc::sourcelist': SOURCES, 'Dir::Etc::sourceparts': '/dev/null' } : {}),
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  const own = { ...environment, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
  const get = (args: readonly string[]) => run('apt-get', [...options, ...args], { cwd: folder, environment: own })
  return { get, update: () => get(['update']) }
}
