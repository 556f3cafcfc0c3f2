import { existsSync, mkdirSync, readdirSync, readlinkSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const PACKAGES = 'node_modules'
const OURS = '@llm-gateway'
/** Folders with an installation: the workspaces' common one, and those with a lock file of their own. */
const INSTALLATIONS = ['.', 'docs', 'gateway/gui/web', 'test/browser'] as const
/** Hidden entries that belong to an installation. Others are caches and stamps, which programs of the copy may write. */
const INSTALLED = new Set(['.bin', '.lock-sha256', '.package-lock.json'])

/**
 * Gives a copy of the checkout's files the checkout's packages and tools, as links. Our own packages are those of the
 * copy, and nothing that a program of the copy writes beside packages reaches the checkout.
 */
export function linkPackages(root: string, copy: string): void {
  symlinkSync(realpathSync(join(root, '.tools')), join(copy, '.tools'))
  for (const folder of INSTALLATIONS) {
    const [from, to] = [join(root, folder, PACKAGES), join(copy, folder, PACKAGES)]
    if (!existsSync(from)) continue
    mkdirSync(to)
    const names = readdirSync(from).filter((name) => !name.startsWith('.') || INSTALLED.has(name))
    for (const name of names)
      if (name === OURS) linkOurs(join(from, OURS), join(to, OURS))
      else symlinkSync(realpathSync(join(from, name)), join(to, name))
  }
}

/** Copies npm's relative links to the workspaces. */
function linkOurs(from: string, to: string): void {
  mkdirSync(to)
  for (const name of readdirSync(from)) symlinkSync(readlinkSync(join(from, name)), join(to, name))
}
