import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type LogEntry, parseLogLine } from './console-line.ts'

export type ServicesOptions = {
  readonly root: string
  /** The working directory, with `app/conf` and `app/log`. */
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
  readonly entry: (entry: LogEntry) => void
}

export type Services = {
  /** True once every service is healthy; false when the supervisor ended before. */
  readonly healthy: Promise<boolean>
  /** The supervisor's exit code. */
  readonly exited: Promise<number>
  /** Asks the supervisor to stop all services; a second call ends them at once. */
  stop(): void
}

export const SUPERVISOR_LOG = 'app/log/services.jsonl'

/** Starts the supervisor of the all-in-one; all lines of its output go to `app/log/services.jsonl`. */
export function startServices({ root, folder, environment, entry }: ServicesOptions): Services {
  const program = join(root, 'gateway/ginit/src/main.ts')
  const child = spawn(process.execPath, [program, '-o', './app/conf/ginit_config.json'], {
    cwd: folder,
    env: environment,
    // The IPC channel tells the supervisor when this process ends in any way; the process group keeps Ctrl-C from it.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    detached: true,
  })
  const log = createWriteStream(join(folder, SUPERVISOR_LOG))
  // With a full disk the lines are shown and not stored; without a listener the error would end this process.
  log.on('error', () => undefined)
  const healthy = Promise.withResolvers<boolean>()
  const output = child.stdout
  if (output === null) throw new Error('the supervisor has no output')
  createInterface({ input: output }).on('line', (line) => {
    log.write(`${line}\n`)
    const parsed = parseLogLine(line)
    if (parsed === undefined) return
    entry(parsed)
    if (parsed.service === 'ginit' && parsed.msg === 'all services healthy') healthy.resolve(true)
  })
  const exited = once(child, 'close').then(([code]) => {
    healthy.resolve(false)
    log.end()
    return typeof code === 'number' ? code : 1
  })
  return { healthy: healthy.promise, exited, stop: () => void child.kill('SIGTERM') }
}
