import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { findProgram } from '../setup/find-program.ts'

export type ServiceOptions = {
  readonly name: string
  readonly argv: readonly string[]
  /** The file to which the output is appended. */
  readonly log: string
  readonly environment: NodeJS.ProcessEnv
  /** Called repeatedly until it returns true. */
  ready(): Promise<boolean>
  /** The limit for the start; default one minute. */
  readonly readyWithinMs?: number
}

/** A program that ends with this process, even when this process is killed (on machines with `setpriv`). */
export type Service = {
  readonly name: string
  readonly log: string
  /** 0 while the program isn't running. */
  readonly pid: number
  /** Starts the program and resolves when it is ready; does nothing when it runs. */
  start(): Promise<void>
  /** Sends a signal. After SIGTERM and SIGKILL waits for the process to end; SIGSTOP and SIGCONT hold and resume it. */
  kill(signal?: NodeJS.Signals): Promise<void>
  /** Sends SIGTERM, and SIGKILL after `graceMs`. */
  stop(graceMs?: number): Promise<void>
  /** Stops and starts the program with the same ports and folders. */
  restart(): Promise<void>
}

const READY_MS = 60_000
const LOOK_AGAIN_MS = 50
const LOG_END = 2_000
const runningChildren = new Set<ChildProcess>()

/** Makes a service without starting it. */
export function createService(options: ServiceOptions): Service {
  let child: ChildProcess | undefined
  let gone = Promise.resolve()

  const kill = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    child?.kill(signal)
    if (signal === 'SIGKILL' || signal === 'SIGTERM') await gone
  }
  const stop = async (graceMs = 5_000): Promise<void> => {
    const timer = setTimeout(() => child?.kill('SIGKILL'), graceMs)
    // A held process receives SIGTERM only after it is resumed.
    child?.kill('SIGCONT')
    await kill('SIGTERM')
    clearTimeout(timer)
  }
  const start = async (): Promise<void> => {
    if (child !== undefined) return
    const started = launch(options)
    child = started
    gone = new Promise((resolve) => {
      const end = (): void => {
        runningChildren.delete(started)
        child = undefined
        resolve()
      }
      started.once('exit', end)
      started.once('error', end)
    })
    const deadline = performance.now() + (options.readyWithinMs ?? READY_MS)
    while (!(await options.ready())) {
      if (child === undefined) throw new Error(`${options.name} ended:\n${logEnd(options.log)}`)
      if (performance.now() > deadline) {
        await kill('SIGKILL')
        throw new Error(`${options.name} is not ready:\n${logEnd(options.log)}`)
      }
      await pause(LOOK_AGAIN_MS)
    }
  }
  return {
    name: options.name,
    log: options.log,
    get pid() {
      return child?.pid ?? 0
    },
    start,
    kill,
    stop,
    restart: async () => {
      await stop()
      await start()
    },
  }
}

function launch({ argv, log, environment }: ServiceOptions): ChildProcess {
  const output = openSync(log, 'a')
  const setpriv = findProgram('setpriv', environment.PATH ?? '')
  const bound = setpriv === undefined ? argv : [setpriv, '--pdeathsig', 'KILL', '--', ...argv]
  const [command = '', ...args] = bound
  const child = spawn(command, args, { env: environment, stdio: ['ignore', output, output] })
  closeSync(output)
  if (runningChildren.size === 0) process.once('exit', endAll)
  runningChildren.add(child)
  return child
}

function endAll(): void {
  for (const child of runningChildren) child.kill('SIGKILL')
}

function logEnd(log: string): string {
  return readFileSync(log, 'utf8').slice(-LOG_END)
}
