import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export type ProgramPlace = { readonly cwd: string; readonly environment: NodeJS.ProcessEnv }

const OUTPUT_BYTES = 64 * 1024 * 1024
/** Building an image for two processors takes some minutes. */
const TIMEOUT_MS = 1_800_000

const SHOWN_CHARACTERS = 4_000

/** Runs a program to its end; resolves with its output. The error names the program and has the end of each stream. */
export async function runProgram(argv: readonly string[], { cwd, environment }: ProgramPlace): Promise<string> {
  const [command = '', ...args] = argv
  try {
    const limits = { cwd, env: environment, maxBuffer: OUTPUT_BYTES, timeout: TIMEOUT_MS }
    return (await promisify(execFile)(command, args, limits)).stdout
  } catch (error) {
    throw new Error(`release: ${argv.slice(0, 3).join(' ')} failed: ${outputOf(error) || error}`, { cause: error })
  }
}

/** Returns the end of each stream of a failed program; an empty text where it didn't start. */
function outputOf(error: unknown): string {
  if (!(error instanceof Error && 'stdout' in error && 'stderr' in error)) return ''
  return [error.stdout, error.stderr].map((stream) => `${stream}`.slice(-SHOWN_CHARACTERS)).join('')
}
