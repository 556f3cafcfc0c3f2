import { spawn } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fingerprint, type ProgramFiles } from './program-files.ts'
import type { Recipe } from './recipes.ts'

const BUILD_TIMEOUT_MS = 5_400_000

/** Builds one program at the lowest priority; returns the reason when the build failed. Its log is in `files.log`. */
export async function buildProgram(
  recipe: Recipe,
  files: ProgramFiles,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  rmSync(files.build, { recursive: true, force: true })
  for (const folder of [files.build, dirname(files.program), dirname(files.log)]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(files.build, 'go.mod'), recipe.module)
  if (recipe.package === undefined) copyFileSync(files.source, join(files.build, 'main.go'))

  const half = `${files.program}.${process.pid}`
  // `-v` names each package as it is compiled, so the log shows the progress.
  const args = ['build', '-v', '-trimpath', '-ldflags', recipe.linker, '-o', half, recipe.package ?? '.']
  const code = await run(['nice', '-n', '19', 'go', ...args], files, {
    ...environment,
    CGO_ENABLED: '0',
    GOWORK: 'off',
    // Two compilations at a time: the build runs in the background of a machine in use.
    GOFLAGS: '-mod=mod -buildvcs=false -p=2',
  })
  if (code !== 0) {
    rmSync(half, { force: true })
    return goFailure(readFileSync(files.log, 'utf8'))
  }
  renameSync(half, files.program)
  writeFileSync(files.stamp, fingerprint(recipe, files))
  rmSync(files.build, { recursive: true, force: true })
  return undefined
}

function run(argv: readonly string[], files: ProgramFiles, environment: NodeJS.ProcessEnv): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const log = openSync(files.log, 'w')
  const [command = '', ...args] = argv
  const child = spawn(command, args, {
    cwd: files.build,
    env: environment,
    stdio: ['ignore', log, log],
    // A signal instead of the option `timeout`, whose timer isn't cleared when the program doesn't start.
    signal: AbortSignal.timeout(BUILD_TIMEOUT_MS),
  })
  closeSync(log)
  child.on('error', (error) => {
    appendFileSync(files.log, `${error.message}\n`)
    resolve(-1)
  })
  child.on('close', (code) => resolve(code ?? -1))
  return promise
}

/** Messages of a failed `go build`, with the cause that a person can remove; the first match wins. */
const CAUSES: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/spawn (nice|go) ENOENT|\bgo\b\W*: No such file|go: (command )?not found/i, 'go is missing'],
  [/requires go >= ([\d.]+)/, 'the Go on this machine is too old: $1 is needed'],
  [/ENOSPC|no space left on device/i, 'the disk is full'],
  [/signal: killed|cannot allocate memory|out of memory/i, 'the memory is too small'],
  [
    /no such host|connection refused|network is unreachable|i\/o timeout|TLS handshake timeout|module lookup disabled|server misbehaving/i,
    "the Go modules can't be fetched",
  ],
]

/** Returns the reason of a failed build in one line. */
export function goFailure(output: string): string {
  for (const [pattern, reason] of CAUSES) {
    const match = pattern.exec(output)
    if (match !== null) return reason.replace('$1', match[1] ?? '')
  }
  const line = output.split('\n').findLast((text) => text.trim() !== '')
  return (line ?? 'the build failed').trim().slice(0, 200)
}
