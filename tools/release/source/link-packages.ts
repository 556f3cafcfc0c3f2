import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { BUNDLED_WORKSPACES, EXTERNAL_PACKAGES, PACKAGES } from '../../image/contents.ts'
import { productionPackages } from '../../image/production-packages.ts'

const FOLDER = 'node_modules'
const OURS = '@llm-gateway'
/** Folders with an installation: the workspaces' common folder, and folders with a lock file of their own. */
const INSTALLATIONS = ['.', 'docs', 'gateway/gui/web', 'test/browser'] as const
/**
 * Hidden entries that belong to an installation. Others are caches and stamps, which programs of the copy may write.
 */
const INSTALLED = new Set(['.bin', '.lock-sha256', '.package-lock.json'])
/** Packages that no bundle contains. */
const APART: ReadonlySet<string> = new Set([...EXTERNAL_PACKAGES, '@kubernetes/client-node'])

/**
 * Links the checkout's packages and tools into a copy of the checkout's files. Our own packages are those of the copy,
 * and nothing that a program of the copy writes beside packages reaches the checkout.
 * Packages that bundles contain are copied: a bundle contains the paths of its modules, and the path of a linked module
 * is the link's target, which differs between checkouts.
 */
export function linkPackages(root: string, copy: string): void {
  symlinkSync(realpathSync(join(root, '.tools')), join(copy, '.tools'))
  const bundled = bundledPackages(root)
  for (const folder of INSTALLATIONS) {
    const [from, to] = [join(root, folder, FOLDER), join(copy, folder, FOLDER)]
    if (!existsSync(from)) continue
    for (const name of packagesIn(from)) {
      const [there, here] = [join(from, name), join(to, name)]
      mkdirSync(join(here, '..'), { recursive: true })
      if (name.startsWith(`${OURS}/`)) symlinkSync(readlinkSync(there), here)
      else if (folder === '.' && bundled.has(name)) cpSync(realpathSync(there), here, { recursive: true })
      else symlinkSync(realpathSync(there), here)
    }
  }
}

/** Returns the packages of an installation, those of a scope one by one. */
function packagesIn(installation: string): readonly string[] {
  return readdirSync(installation)
    .filter((name) => !name.startsWith('.') || INSTALLED.has(name))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(installation, name)).map((inner) => `${name}/${inner}`) : [name],
    )
}

function bundledPackages(root: string): ReadonlySet<string> {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const names = productionPackages(lock, [...PACKAGES, ...BUNDLED_WORKSPACES]).map(
    (path) => path.split(`${FOLDER}/`)[1] ?? '',
  )
  return new Set(names.map((name) => name.replace(/\/$/, '')).filter((name) => !APART.has(name)))
}
