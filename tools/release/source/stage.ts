import { chmodSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GENERATORS, versionCopies } from '../../version/version-copies.ts'
import { runProgram } from '../run-program.ts'
import type { Commit } from './commit.ts'
import { linkPackages } from './link-packages.ts'
import type { Publishing } from './publishing.ts'
import { writeNames } from './write-names.ts'

export type StageOptions = {
  readonly root: string
  readonly folder: string
  readonly commit: Commit
  readonly version: string
  readonly names: Publishing
  readonly environment: NodeJS.ProcessEnv
}

/**
 * The lock file of packages that are links to the checkout's packages. If the file changed, they would be installed
 * again.
 */
const LOCK_OF_LINKS = 'gateway/gui/web/package-lock.json'

/**
 * Writes the commit's files into an empty folder, with the release's version and names, fixed modes and the commit's
 * time. Packages and tools are links to the checkout's. Neither changes nor untracked files of the checkout are
 * included.
 */
export async function stageCommit(options: StageOptions): Promise<void> {
  const { root, folder, commit, version, names, environment } = options
  mkdirSync(folder, { recursive: true })
  const archive = `${folder}.tar`
  const git = ['git', '-c', 'core.autocrlf=false', 'archive', '--format=tar', '-o', archive, commit.hash]
  await runProgram(git, { cwd: root, environment })
  await runProgram(['tar', '-xf', archive, '-C', folder], { cwd: root, environment })
  linkPackages(root, folder)
  for (const [file, text] of versionCopies(folder, version))
    if (file !== LOCK_OF_LINKS) writeFileSync(join(folder, file), text)
  writeNames(folder, names)
  for (const program of GENERATORS) await runProgram([process.execPath, program], { cwd: folder, environment })
  settle(folder, commit.epoch)
}

/** Sets times and modes: helm and other programs write times into archives, and a umask may have changed modes. */
function settle(folder: string, epoch: number): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isSymbolicLink()) continue
    if (entry.isDirectory()) {
      chmodSync(path, 0o755)
      if (entry.name !== 'node_modules') settle(path, epoch)
    } else chmodSync(path, (statSync(path).mode & 0o100) === 0 ? 0o644 : 0o755)
    utimesSync(path, epoch, epoch)
  }
}
