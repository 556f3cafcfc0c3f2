import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Checkout } from '../setup/get-packages.ts'
import { runCommand } from '../setup/run-command.ts'
import { takeBuildLock } from './build-lock.ts'
import { buildRe2 } from './build-re2.ts'
import { type Re2Place, re2Place } from './re2-place.ts'

export type Re2Outcome = { readonly kind: 'ready' } | { readonly kind: 'unavailable'; readonly reason: string }

const READY: Re2Outcome = { kind: 'ready' }
const LOOK_AGAIN_MS = 1_000
const WAIT_MS = 3_600_000
/** Loaded in a process of its own, since an addon for another machine may end its process. */
const LOADS = "const RE2 = require(process.argv[1]); process.exit(new RE2('^a+$', 'u').test('aa') ? 0 : 1)"

/**
 * Installs a native addon for `require('re2')`. If necessary builds it, which takes minutes; only one process builds at
 * a time.
 */
export async function ensureRe2(checkout: Checkout): Promise<Re2Outcome> {
  const place = placeOf(checkout.root)
  if (place === undefined) return { kind: 'unavailable', reason: 'the npm packages are not installed' }
  let said = false
  for (let waitedMs = 0; waitedMs < WAIT_MS; waitedMs += LOOK_AGAIN_MS) {
    if (await isReady(place)) return READY
    const lock = takeBuildLock(place.lock)
    if (lock !== undefined) {
      try {
        return await built(checkout, place)
      } finally {
        lock.release()
      }
    }
    if (!said) checkout.say('tools: re2 is being built by another process')
    said = true
    await pause(LOOK_AGAIN_MS)
  }
  return { kind: 'unavailable', reason: 'another process builds it and does not end' }
}

/** Returns whether the addon exists, installed or in the cache; false when the packages aren't installed. */
export async function isRe2Ready(root: string): Promise<boolean> {
  const place = placeOf(root)
  return place !== undefined && (await isReady(place))
}

export function placeOf(root: string): Re2Place | undefined {
  const file = join(root, 'node_modules/re2/package.json')
  if (!existsSync(file)) return undefined
  const { version } = JSON.parse(readFileSync(file, 'utf8'))
  return typeof version === 'string' ? re2Place(root, version, process.versions.modules) : undefined
}

async function isReady(place: Re2Place): Promise<boolean> {
  if (await loads(place.installed)) return true
  if (!(await loads(place.cached))) return false
  install(place)
  return true
}

async function built({ root, environment, say }: Checkout, place: Re2Place): Promise<Re2Outcome> {
  // The previous holder of the lock may have built the addon.
  if (await isReady(place)) return READY
  say('tools: building re2, which takes some minutes')
  const began = performance.now()
  const reason = await buildRe2(root, place, environment)
  if (reason !== undefined) return { kind: 'unavailable', reason }
  if (!(await isReady(place))) return { kind: 'unavailable', reason: 'what was built does not load' }
  say(`tools: re2 built, ${Math.round((performance.now() - began) / 1_000)} s`)
  return READY
}

async function loads(file: string): Promise<boolean> {
  return existsSync(file) && (await runCommand(process.execPath, ['-e', LOADS, file], { timeoutMs: 30_000 })).ok
}

/** Installs by renaming: a program that has the old file open keeps it, and no program sees half a file. */
function install(place: Re2Place): void {
  const half = `${place.installed}.${process.pid}`
  mkdirSync(dirname(place.installed), { recursive: true })
  copyFileSync(place.cached, half)
  renameSync(half, place.installed)
}
