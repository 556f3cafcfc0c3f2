import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { Journal } from './journal.ts'

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

/** A child process and its lines: stdout and stderr in one journal. */
export type Program = {
  readonly pid: number
  readonly lines: Journal<string>
  /** Resolves when the program is gone and its last line is in `lines`. */
  readonly exited: Promise<Exit>
  kill(signal?: NodeJS.Signals): void
  /** Sends SIGTERM, and SIGKILL after `graceMs`. Resolves when the process is gone. */
  stop(graceMs?: number): Promise<Exit>
  [Symbol.asyncDispose](): Promise<void>
}

const LAST_LINES_MS = 500
const runningChildren = new Set<ChildProcess>()
process.once('exit', killRunning)

/** Starts a program that ends with this process, however a test ends. */
export async function startProgram(options: {
  readonly command: string
  readonly args: readonly string[]
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
}): Promise<Program> {
  const child = spawn(options.command, options.args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...options.environment },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  })
  const lines = new Journal<string>()
  const exited = new Promise<Exit>((resolve) => {
    // 'close' comes after 'exit', when the last lines have been read.
    child.once('close', (code, signal) => resolve({ code, signal }))
    child.once('exit', () => {
      runningChildren.delete(child)
      // A surviving grandchild holds the pipes, but must not hold up the test.
      setTimeout(() => {
        // Data that arrived while this process was paused is read before the next immediate.
        setImmediate(() => {
          child.stdout.destroy()
          child.stderr.destroy()
        })
      }, LAST_LINES_MS)
    })
  })
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => lines.add(line))
  }
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  runningChildren.add(child)
  const kill = (signal: NodeJS.Signals = 'SIGTERM'): void => {
    child.kill(signal)
  }
  const stop = async (graceMs = 30_000): Promise<Exit> => {
    const timer = setTimeout(() => kill('SIGKILL'), graceMs)
    kill('SIGTERM')
    // A program paused by a test would otherwise wait until the end of its grace.
    kill('SIGCONT')
    const exit = await exited
    clearTimeout(timer)
    return exit
  }
  return {
    pid: child.pid ?? 0,
    lines,
    exited,
    kill,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop()
    },
  }
}

/** Resolves with the first past or future line that matches. Rejects, with the last lines, at the end or timeout. */
export async function waitForLine(program: Program, pattern: RegExp, timeoutMs = 60_000): Promise<string> {
  const what = `a line like ${pattern}`
  const gone = program.exited.then((exit) => {
    throw new Error(`ended (${exit.code ?? exit.signal}) before ${what}`)
  })
  const found = program.lines.waitFor((line) => pattern.test(line), { timeoutMs, what })
  try {
    return await Promise.race([found, gone])
  } catch (cause) {
    throw new Error(`no ${what}; the last ones:\n${program.lines.entries.slice(-10).join('\n')}`, { cause })
  }
}

function killRunning(): void {
  for (const child of runningChildren) child.kill('SIGKILL')
}
