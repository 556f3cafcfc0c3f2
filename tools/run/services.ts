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
  /**
   * Resolves once every service is healthy, or is optional and late, with the names of those that are late; with
   * undefined when the supervisor ended before.
   */
  readonly started: Promise<readonly string[] | undefined>
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
  const started = Promise.withResolvers<readonly string[] | undefined>()
  const output = child.stdout
  if (output === null) throw new Error('the supervisor has no output')
  createInterface({ input: output }).on('line', (line) => {
    log.write(`${line}\n`)
    const parsed = parseLogLine(line)
    if (parsed === undefined) return
    entry(parsed)
    const late = parsed.service === 'ginit' ? lateServices(parsed) : undefined
    if (late !== undefined) started.resolve(late)
  })
  const exited = once(child, 'close').then(([code]) => {
    started.resolve(undefined)
    log.end()
    return typeof code === 'number' ? code : 1
  })
  return { started: started.promise, exited, stop: () => void child.kill('SIGTERM') }
}

/** Returns the late services that the supervisor names once all others are healthy; undefined for its other lines. */
function lateServices({ msg, without }: LogEntry): readonly string[] | undefined {
  if (msg === 'all services healthy') return []
  if (msg !== 'services healthy without optional ones' || !Array.isArray(without)) return undefined
  return without.map(String)
}
