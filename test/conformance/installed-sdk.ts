import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packNpm } from '../../tools/release/npm/npm-package.ts'
import { packPython } from '../../tools/release/python/python-package.ts'
import { readPublishing } from '../../tools/release/source/publishing.ts'

const ROOT = join(import.meta.dirname, '../..')
const PROGRAMS = join(import.meta.dirname, 'installed')
const EPOCH = 1_750_000_000
/** Long, because installers download packages. */
const PREPARE_MS = 600_000
const run = promisify(execFile)

/** The SDK as people install it, in a folder that contains only the test's processor. */
export type InstalledSdk = {
  readonly folder: string
  readonly command: string
  readonly args: readonly string[]
  /** The program of the processor with shared state. */
  readonly state: string
  /** The program of the processor with settings and limits. */
  readonly limited: string
}
export type SdkInstaller = (scratch: string, environment: NodeJS.ProcessEnv) => Promise<InstalledSdk>

/** Installers by language. An installer rejects if the registry or the language is missing. */
export const SDKS: ReadonlyMap<string, SdkInstaller> = new Map([
  ['JavaScript', installNpm],
  ['Python', installPython],
])

/** Makes a folder that is removed with the test. */
export async function scratchFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'installed-sdk-'))
  return { path, [Symbol.asyncDispose]: async () => await rm(path, { recursive: true, force: true }) }
}

async function installNpm(scratch: string, environment: NodeJS.ProcessEnv): Promise<InstalledSdk> {
  const [file, folder] = await packPackage({ scratch, environment }, '.tgz')
  await writeFile(join(folder, 'package.json'), '{ "name": "empty", "private": true }\n')
  const install = [
    'install',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--loglevel=error',
    file,
  ]
  await run('npm', install, { cwd: folder, env: environment, timeout: PREPARE_MS })
  for (const name of ['word-count.mjs', 'shared-state.mjs', 'limited.mjs', 'typed.ts'])
    await copyFile(join(PROGRAMS, name), join(folder, name))
  return {
    folder,
    command: process.execPath,
    args: [join(folder, 'word-count.mjs')],
    state: join(folder, 'shared-state.mjs'),
    limited: join(folder, 'limited.mjs'),
  }
}

async function installPython(scratch: string, environment: NodeJS.ProcessEnv): Promise<InstalledSdk> {
  const [file, folder] = await packPackage({ scratch, environment }, '.whl')
  const options = { cwd: folder, env: environment, timeout: PREPARE_MS }
  await run('python3', ['-m', 'venv', 'venv'], options)
  const python = join(folder, 'venv/bin/python')
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', file], options)
  for (const name of ['word_count.py', 'shared_state.py', 'limited.py'])
    await copyFile(join(PROGRAMS, name), join(folder, name))
  return {
    folder,
    command: python,
    args: [join(folder, 'word_count.py')],
    state: join(folder, 'shared_state.py'),
    limited: join(folder, 'limited.py'),
  }
}

/** Builds the package that `make release` would make of this checkout, and makes an empty folder. */
async function packPackage(
  { scratch, environment }: { readonly scratch: string; readonly environment: NodeJS.ProcessEnv },
  ending: string,
): Promise<readonly [file: string, folder: string]> {
  const [out, folder] = [join(scratch, 'out'), join(scratch, 'empty')]
  await mkdir(out)
  await mkdir(folder)
  const place = { stage: ROOT, scratch, out, epoch: EPOCH, environment, say: console.log }
  const releaseBuild = { ...place, version: '1.2.3', names: readPublishing(ROOT) }
  if (ending === '.whl') packPython(releaseBuild)
  else await packNpm(releaseBuild)
  const file = (await readdir(out)).find((name) => name.endsWith(ending))
  if (file === undefined) throw new Error(`no ${ending} was packed`)
  return [join(out, file), folder]
}
