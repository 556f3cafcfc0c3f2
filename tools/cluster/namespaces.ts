import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { findProgram } from '../setup/find-program.ts'
import { startTime } from './own-folder.ts'
import { waitUntil } from './wait-until.ts'

export type Launch = {
  readonly argv: readonly string[]
  readonly log: string
  readonly environment: Readonly<Record<string, string>>
  /** Whether it may outlive this process. */
  readonly outlives: boolean
}

/**
 * Starts a program in mount, network and process namespaces of its own; answers the process (of `unshare`) that ends
 * when they end. When that process goes, however it goes, the kernel ends everything inside, and what was mounted and
 * connected there is gone with it.
 */
export function launchInNamespaces({ argv, log, environment, outlives }: Launch): number {
  const unshare = ['unshare', '--mount', '--pid', '--net', '--fork', '--kill-child', '--mount-proc', '--']
  // The first process inside has to bury orphans, which a shell does while it waits.
  const inside = [...unshare, 'sh', '-c', '"$@"; exit "$?"', 'sh', ...argv]
  const setpriv = findProgram('setpriv', environment.PATH ?? '')
  const bound = outlives || setpriv === undefined ? inside : [setpriv, '--pdeathsig', 'KILL', '--', ...inside]
  const [command = '', ...args] = bound
  const output = openSync(log, 'a')
  const child = spawn(command, args, { env: environment, stdio: ['ignore', output, output], detached: outlives })
  closeSync(output)
  if (outlives) child.unref()
  if (child.pid === undefined) throw new Error(`${command} does not start`)
  return child.pid
}

/** The first process inside, as it is numbered outside; undefined when it is gone. */
export function firstProcessInside(pid: number): number | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return children === '' ? undefined : Number(children.split(' ')[0])
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

/** Ends all of it and waits until nothing of it runs. */
export async function endNamespaces(pid: number): Promise<void> {
  const first = firstProcessInside(pid)
  for (const target of [first, pid])
    if (target !== undefined && startTime(target) !== undefined) process.kill(target, 'SIGKILL')
  await waitUntil('everything inside has ended', async () =>
    [first, pid].every((target) => target === undefined || startTime(target) === undefined),
  )
}
