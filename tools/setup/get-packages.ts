import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from './run-command.ts'

export type Checkout = {
  readonly root: string
  readonly environment: NodeJS.ProcessEnv
  readonly say: (line: string) => void
}

/** Runs `npm ci --ignore-scripts` when the lock file isn't the one of node_modules; returns false when npm failed. */
export async function getPackages(checkout: Checkout): Promise<boolean> {
  const stamp = join(checkout.root, 'node_modules', '.lock-sha256')
  const wanted = sha256(join(checkout.root, 'package-lock.json'))
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return true
  if (!existsSync(stamp) && isMadeByHand(checkout.root)) return true

  const args = ['ci', '--ignore-scripts', '--no-fund', '--no-audit', '--prefer-offline', '--loglevel=error']
  const { ok, output } = await runCommand('npm', args, { cwd: checkout.root, environment: checkout.environment })
  if (ok) writeFileSync(stamp, wanted)
  checkout.say(ok ? 'tools: packages installed' : `tools: npm ci failed\n${firstLines(output)}`)
  return ok
}

/** Returns whether a person ran npm after the last change of the lock file; that installation is kept. */
function isMadeByHand(root: string): boolean {
  const made = join(root, 'node_modules', '.package-lock.json')
  return existsSync(made) && statSync(made).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs
}

/** Returns the first lines of npm's output; its usage text comes after the error. */
function firstLines(output: string): string {
  return output.split('\n').slice(0, 12).join('\n')
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}
