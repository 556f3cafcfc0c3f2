import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeOnce } from '../image/parts/make-once.ts'
import { run } from '../image/parts/run.ts'
import versions from '../versions.json' with { type: 'json' }

export type PreviousCheckout =
  | { readonly kind: 'ready'; readonly folder: string; readonly commit: string }
  | { readonly kind: 'unavailable'; readonly reason: string }

/**
 * Returns the reason why tests of the previous version can't run here (a clone without its history); false when they
 * can.
 */
export function whyNoPrevious(root: string): string | false {
  const { commit } = versions.previous
  if (existsSync(join(root, '.tools/previous', commit, 'checkout'))) return false
  const { status } = spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root })
  return status === 0 ? false : `this clone lacks the previous version ${commit}: git fetch --unshallow`
}

/** Checks out the previous version into `.tools/previous`, ready to run; made once for each commit. */
export async function previousCheckout(root: string, environment: NodeJS.ProcessEnv): Promise<PreviousCheckout> {
  const { commit } = versions.previous
  const folder = join(root, '.tools/previous', commit, 'checkout')
  const reason = await makeOnce(folder, async (half) => {
    mkdirSync(half, { recursive: true })
    const archive = `${half}.tar`
    const failed =
      (await run('git', ['archive', '--output', archive, commit], { cwd: root, environment })) ??
      (await run('tar', ['-xf', archive, '-C', half])) ??
      (await run('rm', [archive]))
    if (failed !== undefined) return `this clone lacks the previous version ${commit}: ${failed}`
    symlinkSync('../../..', join(half, '.tools'))
    return await withPackages(root, half, environment)
  })
  return reason === undefined ? { kind: 'ready', folder, commit } : { kind: 'unavailable', reason }
}

/**
 * Installs packages: our packages are the previous version's, third-party packages this checkout's unless the lock
 * differs.
 */
async function withPackages(root: string, half: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (lockOf(root) !== lockOf(half)) {
    const args = ['ci', '--ignore-scripts', '--no-fund', '--no-audit', '--prefer-offline', '--loglevel=error']
    return await run('npm', args, { cwd: half, environment })
  }
  const [from, to] = [join(root, 'node_modules'), join(half, 'node_modules')]
  for (const name of readdirSync(from)) {
    if (name.startsWith('.')) continue
    const inside = name.startsWith('@') ? readdirSync(join(from, name)).map((part) => `${name}/${part}`) : [name]
    for (const path of inside) {
      mkdirSync(dirname(join(to, path)), { recursive: true })
      const up = path.includes('/') ? '../'.repeat(6) : '../'.repeat(5)
      const target = path.startsWith('@llm-gateway/') ? ownPackage(half, path) : `${up}node_modules/${path}`
      if (target !== undefined) symlinkSync(target, join(to, path))
    }
  }
  return undefined
}

/** Returns the folder of one of our packages, relative to the package's link in `node_modules/@llm-gateway`. */
function ownPackage(half: string, name: string): string | undefined {
  const { workspaces } = JSON.parse(readFileSync(join(half, 'package.json'), 'utf8'))
  const folders: readonly string[] = workspaces
  const folder = folders.find(
    (path) => JSON.parse(readFileSync(join(half, path, 'package.json'), 'utf8')).name === name,
  )
  return folder === undefined ? undefined : `../../${folder}`
}

function lockOf(folder: string): string {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  const foreign = Object.entries(packages).filter(([path]) => path.startsWith('node_modules/'))
  return createHash('sha256').update(JSON.stringify(foreign)).digest('hex')
}
