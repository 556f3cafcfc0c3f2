import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { FREE_PACE, type OutputPace } from './output.ts'
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
    readLines(child[stream], {
      onRead: (text) => {
        if (plan.healthyOutput !== '' && text.includes(plan.healthyOutput)) health.resolve('healthy')
      },
      onLine: (text) => onOutput(stream, text),
      pace,
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
 * The most characters of lines that are read while the supervisor's output is full, and wait. A start is seen healthy
 * meanwhile, even if nobody reads the supervisor's output.
 */
const MOST_WAITING = 256 * 1024

export type LineReader = {
  /** Called with each line once it is read. */
  readonly onRead?: (text: string) => void
  /** Called with each line once the pace lets it pass, in order. */
  readonly onLine: (text: string) => void
  readonly pace: OutputPace
}

/**
 * Reads the lines of a stream, including an unfinished last line; a line of more than 1 Mi characters comes in pieces.
 * The stream pauses while many lines wait, so that its writer waits, too. At the stream's end all lines pass at once.
 */
export function readLines(stream: Readable, { onRead, onLine, pace }: LineReader): void {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  let waiting: readonly string[] = []
  let isInLine = false
  const take = (text: string) => {
    const [first = '', ...others] = text.split('\n')
    const parts = [rest + first, ...others]
    rest = parts.pop() ?? ''
    const lines = parts.map((part) => (part.endsWith('\r') ? part.slice(0, -1) : part))
    if (rest.length > LONGEST_LINE) lines.push(takeRest())
    add(lines)
  }
  const takeRest = (): string => {
    const line = rest
    rest = ''
    return line
  }
  const add = (lines: readonly string[]) => {
    if (onRead !== undefined) for (const line of lines) onRead(line)
    waiting = waiting.length === 0 ? lines : [...waiting, ...lines]
  }
  const pass = () => {
    let passed = 0
    for (const line of waiting) {
      if (pace.isFull) break
      onLine(line)
      passed += 1
    }
    waiting = waiting.slice(passed)
    if (waiting.length === 0) {
      if (stream.isPaused()) stream.resume()
      return
    }
    if (!isInLine) pace.whenFree(passInTurn)
    isInLine = true
    if (waiting.reduce((sum, line) => sum + line.length + 1, 0) >= MOST_WAITING) stream.pause()
  }
  const passInTurn = () => {
    isInLine = false
    pass()
  }
  stream.on('data', (chunk: Buffer) => {
    take(decoder.write(chunk))
    pass()
  })
  stream.on('close', () => {
    take(decoder.end())
    if (rest !== '') add([takeRest()])
    const last = waiting
    waiting = []
    for (const line of last) onLine(line)
  })
}
