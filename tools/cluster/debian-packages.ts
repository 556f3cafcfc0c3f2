import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from '../setup/find-program.ts'
import { runCommand } from '../setup/run-command.ts'

export type UnpackOptions = {
  /** Names of Debian packages; dependencies that this machine lacks are included. */
  readonly packages: readonly string[]
  /** The folder for the packages' files, unpacked and not installed; made anew. */
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
}

/** Downloads and unpacks packages without root or changes to the machine; returns the reason when that failed. */
export async function unpackDebianPackages({
  packages,
  folder,
  environment,
}: UnpackOptions): Promise<string | undefined> {
  if (findProgram('apt-get', environment.PATH ?? '') === undefined) return 'apt-get is missing'
  const half = `${folder}.${process.pid}`
  rmSync(half, { recursive: true, force: true })
  const archives = join(half, 'archives')
  mkdirSync(join(archives, 'partial'), { recursive: true })
  const reason = (await download(half, packages, environment)) ?? (await unpack(half, archives, environment))
  if (reason === undefined) {
    rmSync(archives, { recursive: true })
    rmSync(folder, { recursive: true, force: true })
    renameSync(half, folder)
  }
  rmSync(half, { recursive: true, force: true })
  return reason
}

/** Downloads packages, with package lists of our own when the machine's are missing or old. */
async function download(
  half: string,
  packages: readonly string[],
  own: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const environment = { ...own, DEBIAN_FRONTEND: 'noninteractive' }
  const install = [
    'install',
    '--download-only',
    '--yes',
    '--no-install-recommends',
    '-o',
    'Debug::NoLocking=true',
    '-o',
    `Dir::Cache::archives=${join(half, 'archives')}`,
    // apt's sandbox user can't write into our folder.
    '-o',
    'APT::Sandbox::User=root',
    ...packages,
  ]
  if ((await runCommand('apt-get', install, { environment })).ok) return undefined
  const lists = join(half, 'lists')
  mkdirSync(join(lists, 'partial'), { recursive: true })
  const ours = ['-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${half}/cache`]
  const updated = await runCommand('apt-get', [...ours, '-o', 'Debug::NoLocking=true', 'update'], { environment })
  const again = updated.ok ? await runCommand('apt-get', [...ours, ...install], { environment }) : updated
  rmSync(lists, { recursive: true, force: true })
  return again.ok ? undefined : `apt-get: ${again.output.slice(again.output.lastIndexOf('\n') + 1)}`
}

async function unpack(half: string, archives: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const files = readdirSync(archives).filter((name) => name.endsWith('.deb'))
  for (const file of files) {
    const unpacked = await runCommand('dpkg-deb', ['-x', join(archives, file), half], { environment })
    if (!unpacked.ok) return `dpkg-deb: ${unpacked.output.slice(unpacked.output.lastIndexOf('\n') + 1)}`
  }
  writeFileSync(join(half, 'packages.txt'), `${files.sort().join('\n')}\n`)
  return undefined
}
