import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

/** The process id of the `make run` that wrote this file, while it runs; undefined otherwise. */
export function runningProcess(file: string): number | undefined {
  if (!existsSync(file)) return undefined
  const pid = Number(readFileSync(file, 'utf8'))
  if (!Number.isInteger(pid) || pid <= 1) return undefined
  // The number may long be another program's.
  return commandLine(pid).includes('tools/run/main.ts') ? pid : undefined
}

/** Writes down this process as the running one; the result takes the note away. */
export function noteRunning(file: string, pid: number): () => void {
  writeFileSync(file, `${pid}\n`)
  return () => rmSync(file, { force: true })
}

function commandLine(pid: number): string {
  if (existsSync('/proc/self/cmdline')) {
    const file = `/proc/${pid}/cmdline`
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
  return spawnSync('ps', ['-o', 'args=', '-p', `${pid}`], { encoding: 'utf8' }).stdout ?? ''
}
