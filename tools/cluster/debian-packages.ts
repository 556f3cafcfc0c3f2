import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aptGet, unpackArchive } from '../setup/apt-get.ts'
import { findProgram } from '../setup/find-program.ts'

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

async function download(
  half: string,
  packages: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const archives = ['-o', `Dir::Cache::archives=${join(half, 'archives')}`]
  const install = ['install', '--download-only', '--yes', '--no-install-recommends', ...archives, ...packages]
  return await aptGet(install, { folder: half, environment })
}

async function unpack(half: string, archives: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const files = readdirSync(archives).filter((name) => name.endsWith('.deb'))
  for (const file of files) {
    const broken = await unpackArchive(join(archives, file), { folder: half, environment })
    if (broken !== undefined) return broken
  }
  writeFileSync(join(half, 'packages.txt'), `${files.sort().join('\n')}\n`)
  return undefined
}
