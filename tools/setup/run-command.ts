import { spawn } from 'node:child_process'

export type CommandResult = { readonly ok: boolean; readonly output: string }
export type CommandOptions = {
  readonly cwd?: string
  readonly environment?: NodeJS.ProcessEnv
  /** The command is ended after this long: a download that stands still must not stop a setup for ever. */
  readonly timeoutMs?: number
}

const TEN_MINUTES_MS = 600_000
const OUTPUT_CHARACTERS = 65_536

/** Runs a program to its end; never rejects. `output` is the end of both its streams, or why it did not start. */
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
    // Not `timeout`, whose timer goes on where the program doesn't exist.
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
