import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
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

export function startProcess(plan: ServicePlan, onOutput: OutputListener): ServiceProcess {
  const child = spawn(plan.command.program, plan.command.args, {
    env: plan.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    // The service gets its own process group: a Ctrl-C in the terminal must reach only the supervisor, which stops the
    // services in order.
    detached: true,
  })
  const exited = exitOf(child)
  const health = Promise.withResolvers<Health>()
  const silence = setTimeout(() => health.resolve('silent'), plan.startTimeoutMs)
  const settled = health.promise.finally(() => clearTimeout(silence))
  // `exitOf` never rejects.
  void exited.then(() => health.resolve('exited'))
  if (plan.healthyOutput === '') child.once('spawn', () => health.resolve('healthy'))
  for (const stream of ['stdout', 'stderr'] as const) {
    readLines(child[stream], (text) => {
      onOutput(stream, text)
      if (plan.healthyOutput !== '' && text.includes(plan.healthyOutput)) health.resolve('healthy')
    })
  }
  return {
    pid: child.pid,
    health: settled,
    exited,
    stop: () => stop(child, exited, plan),
    kill: () => signalGroup(child, 'SIGKILL'),
  }
}

/** The longest delay of a timer; with a longer delay the timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

async function stop(child: ChildProcess, exited: Promise<Exit>, plan: ServicePlan): Promise<Exit> {
  // Only the program gets SIGTERM; it ends its own children.
  child.kill('SIGTERM')
  const drainMs = (await plan.drainMs?.()) ?? 0
  const limit = setTimeout(
    () => signalGroup(child, 'SIGKILL'),
    Math.min(drainMs + plan.stopTimeoutMs, LONGEST_TIMER_MS),
  )
  const exit = await exited
  clearTimeout(limit)
  return exit
}

function exitOf(child: ChildProcess): Promise<Exit> {
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
    resolve({ code, signal })
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

const LONGEST_LINE = 1_048_576

/**
 * Calls `line` for each line of a stream, including an unfinished last line; a line of more than 1 Mi characters comes
 * in pieces.
 */
export function readLines(stream: Readable, line: (text: string) => void): void {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  const take = (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) line(part.endsWith('\r') ? part.slice(0, -1) : part)
    if (rest.length > LONGEST_LINE) flush()
  }
  const flush = () => {
    if (rest !== '') line(rest)
    rest = ''
  }
  stream.on('data', (chunk: Buffer) => take(decoder.write(chunk)))
  stream.on('close', () => {
    take(decoder.end())
    flush()
  })
}
