import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, lchownSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { linkPackages } from './source/link-packages.ts'

/** A fixed author, committer and time give the same commit everywhere. */
const COMMIT = {
  GIT_AUTHOR_NAME: 'test',
  GIT_AUTHOR_EMAIL: 'test@example.org',
  GIT_AUTHOR_DATE: '1750000000 +0000',
  GIT_COMMITTER_NAME: 'test',
  GIT_COMMITTER_EMAIL: 'test@example.org',
  GIT_COMMITTER_DATE: '1750000000 +0000',
}

export type CloneOptions = {
  readonly root: string
  readonly folder: string
  /** Path → text of files that differ from the checkout's. */
  readonly files: ReadonlyMap<string, string>
  /** The id of the user who owns the clone's files. */
  readonly owner?: number
}

/** Clones the checkout into a new folder, with a commit of its changes; packages and tools are links. */
export function cloneUnderTest({ root, folder, files, owner }: CloneOptions): void {
  const git = (cwd: string, ...args: readonly string[]): string =>
    execFileSync('git', args, { cwd, encoding: 'utf8', env: { ...process.env, ...COMMIT } })
  mkdirSync(dirname(folder), { recursive: true })
  git(root, 'clone', '--quiet', '--shared', '.', folder)
  // `.gitignore` names a folder, and the clone's is a link.
  writeFileSync(join(folder, '.git/info/exclude'), '.tools')
  for (const path of git(root, 'ls-files', '-z', '--modified', '--others', '--exclude-standard').split('\0')) {
    if (path === '') continue
    if (existsSync(join(root, path))) cpSync(join(root, path), join(folder, path), { recursive: true })
    else rmSync(join(folder, path), { force: true })
  }
  for (const [path, text] of files) writeFileSync(join(folder, path), text)
  git(folder, 'add', '--all')
  git(folder, 'commit', '--quiet', '--allow-empty', '--no-verify', '--no-gpg-sign', '--message', 'changes')
  linkPackages(root, folder)
  if (owner !== undefined) giveTo(owner, folder)
}

function giveTo(owner: number, path: string): void {
  lchownSync(path, owner, owner)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name)
    if (entry.isDirectory()) giveTo(owner, below)
    else lchownSync(below, owner, owner)
  }
}
