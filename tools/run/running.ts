import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

/** The run of a folder, from the file that its `make run` wrote. */
export type Running =
  | { readonly kind: 'run'; readonly pid: number }
  /** A run was killed and its services are ending; their guard ends with the last service. */
  | { readonly kind: 'ending'; readonly pid: number }

/** The file with the process ids of a run. */
export type PidFile = {
  /** Adds the id of the process that ends the services when their supervisor is killed. */
  setGuard(guard: number): void
  remove(): void
}

/** Returns the run of a folder; undefined when none of its processes is left. */
export function runningProcess(file: string): Running | undefined {
  if (!existsSync(file)) return undefined
  const [pid = 0, guard = 0] = readFileSync(file, 'utf8').split('\n').map(Number)
  if (isRunning(pid, 'tools/run/main.ts')) return { kind: 'run', pid }
  return isRunning(guard, 'ginit-guard') ? { kind: 'ending', pid: guard } : undefined
}

/** Writes the process id of a run to its file. */
export function writePidFile(file: string, pid: number): PidFile {
  writeText(file, `${pid}\n`)
  return {
    setGuard: (guard) => writeText(file, `${pid}\n${guard}\n`),
    remove: () => rmSync(file, { force: true }),
  }
}

/** With a full disk `make stop` won't find this run, but the run can go on. */
function writeText(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}

/** Returns whether the process runs the command: its id may have been reused by another program. */
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
