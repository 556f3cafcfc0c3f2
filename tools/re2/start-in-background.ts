import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, openSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Checkout } from '../setup/get-packages.ts'
import { isRe2Ready, placeOf } from './ensure-re2.ts'

export type BackgroundBuild = {
  /** Ends it with all it started; the next build goes on where this one stood. */
  stop(): void
}

/**
 * Starts `main.ts` as a process that outlives this one unless it is stopped, where there is no addon yet; what it says is
 * in `.tools/re2/background.log`. It may be started any number of times: only one of them builds.
 */
export async function startInBackground({ root, environment, say }: Checkout): Promise<BackgroundBuild | undefined> {
  if (placeOf(root) === undefined || (await isRe2Ready(root))) return undefined
  const log = join(root, '.tools/re2/background.log')
  mkdirSync(dirname(log), { recursive: true })
  const output = openSync(log, 'a')
  const main = join(import.meta.dirname, 'main.ts')
  const build = spawn(process.execPath, [main], {
    env: environment,
    stdio: ['ignore', output, output],
    // A group of its own, which can be ended as a whole: compilers run below it.
    detached: true,
  })
  build.unref()
  say(`tools: re2 is being built in the background (${relative(root, log)})`)
  return { stop: () => endGroup(build) }
}

function endGroup({ pid, exitCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null) return
  try {
    process.kill(-pid, 'SIGTERM')
  } catch {
    // It ended in this moment.
  }
}
