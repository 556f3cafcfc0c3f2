import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { versionCopies } from '../../version/version-copies.ts'
import { runProgram } from '../run-program.ts'
import type { Commit } from './commit.ts'
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

/** A folder with an installation of its own, apart from the workspaces. */
const APART = 'gateway/gui/web'
/** In this order, since the charts use the CRDs' manifests. */
const GENERATORS = ['crds/generate.ts', 'deploy/azure/generate.ts', 'tools/helm/main.ts'] as const

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
  symlinkSync(realpathSync(join(root, '.tools')), join(folder, '.tools'))
  // The packages of this lock file are the checkout's; a changed lock file would install them again.
  for (const [file, text] of versionCopies(folder, version))
    if (file !== `${APART}/package-lock.json`) writeFileSync(join(folder, file), text)
  writeNames(folder, names)
  for (const program of GENERATORS) await runProgram([process.execPath, program], { cwd: folder, environment })
  settle(folder, commit.epoch)
}

/** Links third-party packages to the checkout's and our own to the staged ones. */
function linkPackages(root: string, folder: string): void {
  const [from, to] = [join(root, 'node_modules'), join(folder, 'node_modules')]
  const ours = '@llm-gateway'
  mkdirSync(join(to, ours), { recursive: true })
  for (const name of readdirSync(from)) if (name !== ours) symlinkSync(realpathSync(join(from, name)), join(to, name))
  for (const name of readdirSync(join(from, ours)))
    symlinkSync(readlinkSync(join(from, ours, name)), join(to, ours, name))
  const apart = join(root, APART, 'node_modules')
  if (existsSync(apart)) symlinkSync(realpathSync(apart), join(folder, APART, 'node_modules'))
}

/** Sets times and modes: helm and others write times into archives, and a umask may have changed modes. */
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
