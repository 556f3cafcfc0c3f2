import { existsSync, mkdirSync, readdirSync, readlinkSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const OURS = '@llm-gateway'
/** Folders with an installation of their own, apart from the workspaces. */
const APART = ['docs', 'gateway/gui/web', 'test/browser'] as const

/**
 * Gives a copy of the checkout's files the checkout's packages and tools, as links. Our own packages are those of the
 * copy.
 */
export function linkPackages(root: string, copy: string): void {
  const [from, to] = [join(root, 'node_modules'), join(copy, 'node_modules')]
  mkdirSync(join(to, OURS), { recursive: true })
  for (const name of readdirSync(from)) if (name !== OURS) symlinkSync(realpathSync(join(from, name)), join(to, name))
  for (const name of readdirSync(join(from, OURS)))
    symlinkSync(readlinkSync(join(from, OURS, name)), join(to, OURS, name))
  for (const link of [...APART.map((folder) => join(folder, 'node_modules')), '.tools'])
    if (existsSync(join(root, link))) symlinkSync(realpathSync(join(root, link)), join(copy, link))
}
