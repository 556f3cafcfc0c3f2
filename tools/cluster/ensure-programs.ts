import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { takeBuildLock } from '../re2/build-lock.ts'
import type { Checkout } from '../setup/get-packages.ts'
import versions from '../versions.json' with { type: 'json' }
import { buildProgram } from './build-program.ts'
import { clusterFolder, fingerprint, programFiles } from './program-files.ts'
import { type Recipe, recipes } from './recipes.ts'

export type ProgramName = Recipe['name']
export type ProgramsOutcome =
  | { readonly kind: 'ready'; readonly bin: string }
  | { readonly kind: 'unavailable'; readonly reason: string }

const LOOK_AGAIN_MS = 1_000
const WAIT_MS = 5_400_000

/** Builds those of the named programs that are missing, one at a time, into `.tools/kubernetes/<version>/bin`. */
export async function ensurePrograms(checkout: Checkout, names: readonly ProgramName[]): Promise<ProgramsOutcome> {
  const folder = clusterFolder(checkout.root, versions.cluster.kubernetes)
  const wanted = recipes(versions.cluster).filter(({ name }) => names.includes(name))
  let isAnnounced = false
  for (let waitedMs = 0; waitedMs < WAIT_MS; waitedMs += LOOK_AGAIN_MS) {
    const missing = wanted.filter((recipe) => !isBuilt(folder, recipe))
    if (missing.length === 0) return { kind: 'ready', bin: programsFolder(checkout.root) }
    const lock = takeBuildLock(join(folder, 'lock'))
    if (lock !== undefined) {
      try {
        const reason = await buildAll(checkout, folder, missing)
        if (reason !== undefined) return { kind: 'unavailable', reason }
      } finally {
        lock.release()
      }
      continue
    }
    if (!isAnnounced)
      checkout.say(`tools: waiting for another process that builds ${missing.map(({ name }) => name).join(', ')}`)
    isAnnounced = true
    await pause(LOOK_AGAIN_MS)
  }
  return { kind: 'unavailable', reason: 'another process has been building the programs for too long' }
}

/** Returns the folder of the built programs. */
export function programsFolder(root: string): string {
  return join(clusterFolder(root, versions.cluster.kubernetes), 'bin')
}

/** Returns the programs that aren't built, among the named programs or, without names, among all. */
export function missingPrograms(root: string, names?: readonly ProgramName[]): readonly ProgramName[] {
  const folder = clusterFolder(root, versions.cluster.kubernetes)
  return recipes(versions.cluster)
    .filter(({ name }) => names?.includes(name) ?? true)
    .filter((recipe) => !isBuilt(folder, recipe))
    .map(({ name }) => name)
}

async function buildAll(checkout: Checkout, folder: string, missing: readonly Recipe[]): Promise<string | undefined> {
  for (const recipe of missing) {
    // The previous holder of the lock may have built the program.
    if (isBuilt(folder, recipe)) continue
    const files = programFiles(folder, recipe.name)
    checkout.say(`tools: building ${recipe.name} (${relative(checkout.root, files.log)})`)
    const began = performance.now()
    const reason = await buildProgram(recipe, files, checkout.environment)
    if (reason !== undefined) return `${recipe.name}: ${reason}`
    checkout.say(`tools: ${recipe.name} built, ${Math.round((performance.now() - began) / 1_000)} s`)
    const kubectl = join(folder, 'bin/kubectl')
    if (recipe.name === 'kubelite' && !existsSync(kubectl)) symlinkSync('kubelite', kubectl)
  }
  return undefined
}

function isBuilt(folder: string, recipe: Recipe): boolean {
  const files = programFiles(folder, recipe.name)
  if (!existsSync(files.program) || !existsSync(files.stamp)) return false
  return readFileSync(files.stamp, 'utf8') === fingerprint(recipe, files)
}
