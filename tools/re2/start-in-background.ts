import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, openSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Checkout } from '../setup/get-packages.ts'
import { isRe2Ready, pathsOf } from './ensure-re2.ts'

export type BackgroundBuild = {
  /** Ends the build with all its processes; the next build continues it. */
  stop(): void
}

/**
 * Starts `main.ts` as a process that outlives this process unless stopped, when there is no addon yet; its output is in
 * `.tools/re2/background.log`. Of several such processes only one builds.
 */
export async function startInBackground({ root, environment, say }: Checkout): Promise<BackgroundBuild | undefined> {
  if (pathsOf(root) === undefined || (await isRe2Ready(root))) return undefined
  const log = join(root, '.tools/re2/background.log')
  mkdirSync(dirname(log), { recursive: true })
  const output = openSync(log, 'a')
  const main = join(import.meta.dirname, 'main.ts')
  const build = spawn(process.execPath, [main], {
    env: environment,
    stdio: ['ignore', output, output],
    // A process group of its own, which ends together with its compilers.
    detached: true,
  })
  build.unref()
  say(`tools: building re2 in the background (${relative(root, log)})`)
  return { stop: () => endGroup(build) }
}

function endGroup({ pid, exitCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null) return
  try {
    process.kill(-pid, 'SIGTERM')
  } catch {
    // The build has just ended.
  }
}
