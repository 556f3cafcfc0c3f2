import { spawn } from 'node:child_process'

export type CommandResult = { readonly ok: boolean; readonly output: string }
export type CommandOptions = {
  readonly cwd?: string
  readonly environment?: NodeJS.ProcessEnv
  /** The limit for the command, since a download may hang. */
  readonly timeoutMs?: number
}

const TEN_MINUTES_MS = 600_000
const OUTPUT_CHARACTERS = 65_536

/**
 * Runs a program to its end; never rejects. `output` is the end of both streams, or the reason why the program did not
 * start.
 */
export function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const { promise, resolve } = Promise.withResolvers<CommandResult>()
  let output = ''
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A signal instead of the option `timeout`, whose timer isn't cleared when the program doesn't start.
    signal: AbortSignal.timeout(options.timeoutMs ?? TEN_MINUTES_MS),
  })
  const keep = (chunk: string) => {
    output = (output + chunk).slice(-OUTPUT_CHARACTERS)
  }
  child.stdout.setEncoding('utf8').on('data', keep)
  child.stderr.setEncoding('utf8').on('data', keep)
  child.on('error', (error) => resolve({ ok: false, output: error.message }))
  child.on('close', (code) => resolve({ ok: code === 0, output: output.trim() }))
  return promise
}

/** Returns the last line of a command's output, which mostly says why it failed. */
export function lastLine(output: string): string {
  return output.slice(output.lastIndexOf('\n') + 1)
}
