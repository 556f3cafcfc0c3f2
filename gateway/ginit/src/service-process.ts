import { type ChildProcess, spawn } from 'node:child_process'
import { FREE_PACE, type OutputPace } from './output.ts'
import { readLines } from './read-lines.ts'
import type { ServicePlan } from './service-plan.ts'

export type Exit = {
  readonly code: number | null
  readonly signal: string | null
  /** The code of a program that did not start, such as ENOENT. */
  readonly error?: string
}
export type Health = 'healthy' | 'exited' | 'silent'
export type OutputListener = (stream: 'stdout' | 'stderr', text: string) => void

/** A run of a service's program; after `exited` has resolved, none of its processes runs. */
export type ServiceProcess = {
  readonly pid: number | undefined
  /** `silent`: healthy_output did not come within startTimeoutMs; the program still runs. */
  readonly health: Promise<Health>
  readonly exited: Promise<Exit>
  /** Sends SIGTERM, and SIGKILL after drainMs and stopTimeoutMs. */
  stop(): Promise<Exit>
  kill(): void
}

/** Starts a service's program, whose output is read at the given pace. */
export function startProcess(
  plan: ServicePlan,
  onOutput: OutputListener,
  pace: OutputPace = FREE_PACE,
): ServiceProcess {
  const child = spawnService(plan)
  if (typeof child === 'string') return unstarted(child)
  const health = Promise.withResolvers<Health>()
  const silence = setTimeout(() => health.resolve('silent'), plan.startTimeoutMs)
  const settled = health.promise.finally(() => clearTimeout(silence))
  if (plan.healthyOutput === '') child.once('spawn', () => health.resolve('healthy'))
  const ended = Promise.withResolvers<void>()
  child.once('exit', () => ended.resolve())
  const readings = (['stdout', 'stderr'] as const).map((stream) => {
    const source = child[stream]
    // A process without free file descriptors starts no program and makes no streams.
    if (!source) return undefined
    const onRead = (text: string) => {
      if (plan.healthyOutput !== '' && text.includes(plan.healthyOutput)) health.resolve('healthy')
    }
    return readLines(source, { onRead, onLine: (text) => onOutput(stream, text), pace, ended: ended.promise })
  })
  const exited = exitOf(child, readings)
  // `exitOf` never rejects.
  void exited.then(() => health.resolve('exited'))
  return {
    pid: child.pid,
    health: settled,
    exited,
    stop: () => stop(child, exited, plan),
    kill: () => signalGroup(child, 'SIGKILL'),
  }
}

/** Returns the code of the failure where node starts nothing and throws, such as E2BIG or ENOMEM. */
function spawnService({ command, environment }: ServicePlan): ChildProcess | string {
  try {
    return spawn(command.program, command.args, {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      // The service gets its own process group: a Ctrl-C in the terminal must reach only the supervisor, which stops the
      // services in order.
      detached: true,
    })
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code)
    throw error
  }
}

function unstarted(error: string): ServiceProcess {
  const exited = Promise.resolve({ code: null, signal: null, error })
  return { pid: undefined, health: Promise.resolve('exited'), exited, stop: () => exited, kill: () => undefined }
}

/** The longest delay of a timer; with a longer delay the timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** The drain time of a service while the reading of its own one hangs; the gateway's default is ten minutes. */
const UNKNOWN_DRAIN_MS = 900_000

async function stop(child: ChildProcess, exited: Promise<Exit>, plan: ServicePlan): Promise<Exit> {
  // Only the program gets SIGTERM; it ends its own children.
  child.kill('SIGTERM')
  const killAfter = (drainMs: number): NodeJS.Timeout =>
    setTimeout(() => signalGroup(child, 'SIGKILL'), Math.min(drainMs + plan.stopTimeoutMs, LONGEST_TIMER_MS))
  // The limit runs before the drain time is known: the reading of the service's file may hang.
  let limit = killAfter(plan.drainMs === undefined ? 0 : UNKNOWN_DRAIN_MS)
  let hasEnded = false
  // Rejects only for a bug, which ends the process.
  void plan.drainMs?.().then((drainMs) => {
    clearTimeout(limit)
    if (!hasEnded) limit = killAfter(drainMs)
  })
  const exit = await exited
  hasEnded = true
  clearTimeout(limit)
  return exit
}

/** Resolves once the program has ended and its last lines have passed. */
function exitOf(child: ChildProcess, readings: readonly (Promise<void> | undefined)[]): Promise<Exit> {
  const { promise, resolve } = Promise.withResolvers<Exit>()
  child.once('error', (error: NodeJS.ErrnoException) => {
    if (child.pid === undefined) resolve({ code: null, signal: null, error: error.code ?? 'SPAWN_FAILED' })
  })
  let unread: NodeJS.Timeout | undefined
  child.once('exit', () => {
    // Remaining children would keep the program's ports and output open.
    signalGroup(child, 'SIGKILL')
    unread = setTimeout(() => {
      for (const stream of [child.stdout, child.stderr]) stream?.destroy()
    }, LAST_OUTPUT_MS)
  })
  child.once('close', (code, signal) => {
    clearTimeout(unread)
    // Readings never reject.
    void Promise.all(readings).then(() => resolve({ code, signal }))
  })
  return promise
}

/**
 * The milliseconds in which the last output of a program that has ended is read. A child that left the program's process
 * group may hold the output open for as long as it runs; the program must be restarted meanwhile.
 */
const LAST_OUTPUT_MS = 2_000

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    // ESRCH: the group has no process left. EPERM: macOS reports this for a group of zombies.
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}
