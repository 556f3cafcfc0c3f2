import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { findProgram } from '../setup/find-program.ts'
import { waitUntil } from '../setup/wait-until.ts'
import { startTime } from './own-folder.ts'

export type Launch = {
  readonly argv: readonly string[]
  readonly log: string
  readonly environment: Readonly<Record<string, string>>
  /** True: the program may outlive this process. */
  readonly outlives: boolean
}

/**
 * Starts a program in mount, network and process namespaces of its own; returns the process id of `unshare`, which ends
 * with them. When `unshare` ends in any way, the kernel ends all processes inside and removes their mounts and network.
 */
export function launchInNamespaces({ argv, log, environment, outlives }: Launch): number {
  const unshare = ['unshare', '--mount', '--pid', '--net', '--fork', '--kill-child', '--mount-proc', '--']
  // The first process inside must reap orphans; a shell does so while it waits.
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

/** Returns the first process inside, by its id outside; undefined when it is gone. */
export function firstProcessInside(pid: number): number | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return children === '' ? undefined : Number(children.split(' ')[0])
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

/** Kills all processes inside and waits until they are gone. */
export async function endNamespaces(pid: number): Promise<void> {
  const first = firstProcessInside(pid)
  for (const target of [first, pid])
    if (target !== undefined && startTime(target) !== undefined) process.kill(target, 'SIGKILL')
  await waitUntil('everything inside has ended', async () =>
    [first, pid].every((target) => target === undefined || startTime(target) === undefined),
  )
}
