import { spawn } from 'node:child_process'
import { mkdirSync, openSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Checkout } from '../setup/get-packages.ts'
import { missingPrograms } from './ensure-programs.ts'

/** Starts `main.ts build` as a process that outlives this one, where a program is missing; only one of several builds. */
export function startInBackground({ root, environment, say }: Checkout): void {
  const missing = missingPrograms(root)
  if (missing.length === 0) return
  const log = join(root, '.tools/kubernetes/background.log')
  mkdirSync(dirname(log), { recursive: true })
  const output = openSync(log, 'a')
  spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), 'build'], {
    env: environment,
    stdio: ['ignore', output, output],
    // A group of its own: Ctrl-C ends the caller, not the build that the next one needs.
    detached: true,
  }).unref()
  say(`tools: ${missing.join(', ')} being built in the background (${relative(root, log)})`)
}
