import { execFile } from 'node:child_process'

export type CommandResult = { readonly code: number; readonly stdout: string; readonly stderr: string }
export type CommandInput = {
  readonly environment?: NodeJS.ProcessEnv
  readonly input?: string
  /** The limit for the program; default two minutes. */
  readonly timeoutMs?: number
}

const OUTPUT_BYTES = 64 * 1024 * 1024

/**
 * Runs a program to its end and returns its whole output; never rejects. `code` is -1 when the program was killed or
 * did not start.
 */
export function execute(argv: readonly string[], options: CommandInput = {}): Promise<CommandResult> {
  const { promise, resolve } = Promise.withResolvers<CommandResult>()
  const [command = '', ...args] = argv
  const { environment, timeoutMs = 120_000 } = options
  const limits = {
    maxBuffer: OUTPUT_BYTES,
    timeout: timeoutMs,
    ...(environment === undefined ? {} : { env: environment }),
  }
  const child = execFile(command, args, limits, (error, stdout, stderr) => {
    const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
    const late = error?.killed === true ? `${command} was stopped after ${timeoutMs} ms; it had printed: ${stdout}` : ''
    resolve({ code, stdout, stderr: `${stderr === '' && error !== null ? error.message : stderr}${late}` })
  })
  // A program that ends before reading its input reports that by its exit code.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(options.input ?? '')
  return promise
}
