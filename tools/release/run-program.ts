import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export type ProgramPlace = { readonly cwd: string; readonly environment: NodeJS.ProcessEnv }

const OUTPUT_BYTES = 64 * 1024 * 1024
/** Building an image for two processors takes some minutes. */
const TIMEOUT_MS = 1_800_000

/** Runs a program to its end; resolves with its output. The error has the program's name and the end of its output. */
export async function runProgram(argv: readonly string[], { cwd, environment }: ProgramPlace): Promise<string> {
  const [command = '', ...args] = argv
  try {
    const limits = { cwd, env: environment, maxBuffer: OUTPUT_BYTES, timeout: TIMEOUT_MS }
    return (await promisify(execFile)(command, args, limits)).stdout
  } catch (error) {
    const written = error instanceof Error && 'stderr' in error ? `${error.stderr}`.slice(-4_000) : ''
    throw new Error(`release: ${argv.slice(0, 3).join(' ')} failed: ${written || error}`, { cause: error })
  }
}
