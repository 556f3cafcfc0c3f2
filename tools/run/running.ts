import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

/** What is under way in a folder, by the file that its `make run` wrote. */
export type Running =
  | { readonly kind: 'run'; readonly pid: number }
  /** The services of a run that was killed are about to end; their guard's process goes with the last one. */
  | { readonly kind: 'ending'; readonly pid: number }

export type RunningNote = {
  /** The process that ends the services should their supervisor be killed. */
  guardedBy(guard: number): void
  forget(): void
}

/** undefined: nothing of it runs any more. */
export function runningProcess(file: string): Running | undefined {
  if (!existsSync(file)) return undefined
  const [pid = 0, guard = 0] = readFileSync(file, 'utf8').split('\n').map(Number)
  if (isRunning(pid, 'tools/run/main.ts')) return { kind: 'run', pid }
  return isRunning(guard, 'ginit-guard') ? { kind: 'ending', pid: guard } : undefined
}

/** Writes down this process as the running one. */
export function noteRunning(file: string, pid: number): RunningNote {
  writeNote(file, `${pid}\n`)
  return {
    guardedBy: (guard) => writeNote(file, `${pid}\n${guard}\n`),
    forget: () => rmSync(file, { force: true }),
  }
}

/** On a full disk `make stop` doesn't find it: that is no reason not to run. */
function writeNote(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}

/** The number may long be another program's. */
function isRunning(pid: number, command: string): boolean {
  return Number.isInteger(pid) && pid > 1 && commandLine(pid).includes(command)
}

function commandLine(pid: number): string {
  if (existsSync('/proc/self/cmdline')) {
    const file = `/proc/${pid}/cmdline`
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
  return spawnSync('ps', ['-o', 'args=', '-p', `${pid}`], { encoding: 'utf8' }).stdout ?? ''
}
