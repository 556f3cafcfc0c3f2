import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../..')
const EXAMPLES = join(ROOT, 'examples')
const run = promisify(execFile)
/** Long, because preparing an example downloads packages. */
const PREPARE_MS = 600_000

/** A processor in another language that is ready to start, or the reason why this machine can't start it. */
export type ForeignExample =
  | { readonly kind: 'ready'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'absent'; readonly reason: string }

export const FOREIGN_EXAMPLES: ReadonlyMap<string, (environment: NodeJS.ProcessEnv) => Promise<ForeignExample>> =
  new Map([
    ['TypeScript', async () => typescriptExample()],
    ['Python', pythonExample],
    ['Go', goExample],
  ])

function typescriptExample(): ForeignExample {
  return { kind: 'ready', command: process.execPath, args: [join(EXAMPLES, 'typescript/word-count.ts')] }
}

/** Prepares the Python example, with its packages in a virtual environment of the checkout. */
async function pythonExample(environment: NodeJS.ProcessEnv): Promise<ForeignExample> {
  const folder = join(ROOT, '.tools/python')
  const [python, source] = [join(folder, 'bin/python'), join(EXAMPLES, 'python')]
  const requirements = join(source, 'requirements.txt')
  const options = { env: environment, timeout: PREPARE_MS }
  try {
    if (!existsSync(python)) await run('python3', ['-m', 'venv', folder], options)
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements]
    await run(python, pip, options)
  } catch (error) {
    return absent('python3', error)
  }
  return { kind: 'ready', command: python, args: [join(source, 'word_count.py')] }
}

/** Builds the Go example, since `go run` doesn't pass signals on. */
async function goExample(environment: NodeJS.ProcessEnv): Promise<ForeignExample> {
  const folder = join(ROOT, '.tools/go-examples')
  const program = join(folder, 'wordcount')
  const env = { ...environment, GOFLAGS: '-mod=mod -buildvcs=false', GOTOOLCHAIN: 'local' }
  try {
    await mkdir(folder, { recursive: true })
    await run('go', ['build', '-o', program, '.'], { cwd: join(EXAMPLES, 'go'), env, timeout: PREPARE_MS })
  } catch (error) {
    return absent('go', error)
  }
  return { kind: 'ready', command: program, args: [] }
}

function absent(name: string, error: unknown): ForeignExample {
  const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
  return { kind: 'absent', reason: missing ? `${name} is not installed` : `${name} can not get the packages: ${error}` }
}
