import { copyFileSync, existsSync, readFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Checkout } from '../setup/get-packages.ts'
import { runCommand } from '../setup/run-command.ts'
import { findUnwritableFolders } from '../setup/unwritable-folder.ts'
import { takeBuildLock } from './build-lock.ts'
import { buildRe2 } from './build-re2.ts'
import { type Re2Paths, re2Paths } from './re2-paths.ts'

export type Re2Outcome = { readonly kind: 'ready' } | { readonly kind: 'unavailable'; readonly reason: string }

const READY: Re2Outcome = { kind: 'ready' }
const LOOK_AGAIN_MS = 1_000
const WAIT_MS = 3_600_000
const SAY_EVERY_MS = 60_000
/** Loaded in a process of its own, since an addon for another machine may end its process. */
const LOADS = "const RE2 = require(process.argv[1]); process.exit(new RE2('^a+$', 'u').test('aa') ? 0 : 1)"

/**
 * Installs a native addon for `require('re2')`. If necessary builds it, which takes minutes; only one process builds at
 * a time.
 */
export async function ensureRe2(checkout: Checkout): Promise<Re2Outcome> {
  const paths = pathsOf(checkout.root)
  if (paths === undefined) return { kind: 'unavailable', reason: 'the npm packages are not installed' }
  if (await isReady(paths)) return READY
  const reason = unwritableReason(checkout.root)
  if (reason !== undefined) return { kind: 'unavailable', reason }
  for (let waitedMs = 0; waitedMs < WAIT_MS; waitedMs += LOOK_AGAIN_MS) {
    if (await isReady(paths)) return READY
    const lock = takeBuildLock(paths.lock)
    if (lock !== undefined) {
      try {
        return await buildUnlessReady(checkout, paths)
      } finally {
        lock.release()
      }
    }
    if (waitedMs % SAY_EVERY_MS === 0) checkout.say(waitingLine(waitedMs))
    await pause(LOOK_AGAIN_MS)
  }
  return { kind: 'unavailable', reason: 'another process has been building re2 for too long' }
}

function waitingLine(waitedMs: number): string {
  const waited = waitedMs === 0 ? '' : `; waited for ${waitedMs / SAY_EVERY_MS} min`
  return `tools: waiting for another process that builds re2, which takes some minutes${waited}`
}

/** Returns the reason why nothing can be built in a checkout, such as a read-only one. */
export function unwritableReason(root: string): string | undefined {
  const [unwritable] = findUnwritableFolders([join(root, '.tools/re2')])
  return unwritable === undefined ? undefined : `${unwritable.folder} can't be written (${unwritable.code})`
}

/** Returns whether the addon exists, installed or in the cache; false when the packages aren't installed. */
export async function isRe2Ready(root: string): Promise<boolean> {
  const paths = pathsOf(root)
  return paths !== undefined && (await isReady(paths))
}

export function pathsOf(root: string): Re2Paths | undefined {
  const file = join(root, 'node_modules/re2/package.json')
  if (!existsSync(file)) return undefined
  const { version } = JSON.parse(readFileSync(file, 'utf8'))
  return typeof version === 'string' ? re2Paths(root, version, process.versions.modules) : undefined
}

async function isReady(paths: Re2Paths): Promise<boolean> {
  if (await canLoad(paths.installed)) return true
  return (await canLoad(paths.cached)) && install(paths)
}

async function buildUnlessReady({ root, environment, say }: Checkout, paths: Re2Paths): Promise<Re2Outcome> {
  // The previous holder of the lock may have built the addon.
  if (await isReady(paths)) return READY
  say('tools: building re2, which takes some minutes')
  const began = performance.now()
  const reason = await buildRe2(root, paths, environment)
  if (reason !== undefined) return { kind: 'unavailable', reason }
  if (!(await isReady(paths))) return { kind: 'unavailable', reason: 'the built addon does not load' }
  say(`tools: re2 built, ${Math.round((performance.now() - began) / 1_000)} s`)
  return READY
}

async function canLoad(file: string): Promise<boolean> {
  return existsSync(file) && (await runCommand(process.execPath, ['-e', LOADS, file], { timeoutMs: 30_000 })).ok
}

/**
 * Installs by renaming: a program that has the old file open keeps it, and no program sees half a file. Returns false
 * where the packages can't be written.
 */
function install(paths: Re2Paths): boolean {
  const folder = dirname(paths.installed)
  if (findUnwritableFolders([folder]).length > 0) return false
  const half = `${paths.installed}.${process.pid}`
  copyFileSync(paths.cached, half)
  renameSync(half, paths.installed)
  return true
}
