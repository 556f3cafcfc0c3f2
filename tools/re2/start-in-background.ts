import { spawn } from 'node:child_process'
import { mkdirSync, openSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Checkout } from '../setup/get-packages.ts'
import { isRe2Ready, placeOf } from './ensure-re2.ts'

/**
 * Starts `main.ts` as a process that outlives this one, where there is no addon yet; what it says is in
 * `.tools/re2/background.log`. It may be started any number of times: only one of them builds.
 */
export async function startInBackground({ root, environment, say }: Checkout): Promise<void> {
  if (placeOf(root) === undefined || (await isRe2Ready(root))) return
  const log = join(root, '.tools/re2/background.log')
  mkdirSync(dirname(log), { recursive: true })
  const output = openSync(log, 'a')
  const main = join(import.meta.dirname, 'main.ts')
  spawn(process.execPath, [main], {
    env: environment,
    stdio: ['ignore', output, output],
    // A group of its own: Ctrl-C ends `make run`, not the build that the next one needs.
    detached: true,
  }).unref()
  say(`tools: re2 is being built in the background (${relative(root, log)})`)
}
