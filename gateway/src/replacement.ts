import { join } from 'node:path'

/** What is to run in this process's place. */
export type Replacement = {
  readonly file: string
  readonly args: readonly string[]
  readonly environment: NodeJS.ProcessEnv
}

/** What decides it, of node's `process`. */
export type Running = Pick<
  NodeJS.Process,
  'platform' | 'version' | 'execPath' | 'execArgv' | 'argv' | 'argv0' | 'env' | 'connected'
> & { readonly execve?: NodeJS.Process['execve'] | undefined; readonly permission?: object | undefined }

/**
 * Node flags the gateway runs with unless its caller says otherwise; each measured with full records on.
 * - A young generation of 3 × 8 MiB instead of 3 × 16: less memory, and large bodies, which are born there, die before they
 *   are marked (a third of the CPU at 1 MB).
 * - No middle compiler: its jobs take 20 MiB beside the heap that never return, and what is hot is optimized fully all the
 *   same within a second.
 * - An old generation that is collected when it has grown by half, not fourfold: 8 MiB for a collection more in some seconds.
 */
const flags = ['--max-semi-space-size=8', '--no-maglev', '--heap-growing-percent=50'] as const

/**
 * Node's majors that know all of these flags. Any other gets none: V8 names and drops its flags as it likes, Node ends at
 * once with "bad option" where it doesn't know one, and asking it would cost each start a process.
 */
const majors = { first: 20, last: 24 } as const

/**
 * Variables the gateway runs with unless its caller says otherwise.
 * - glibc gives every thread a heap of its own, from which little returns: one is enough.
 * - glibc puts bodies of up to 32 MiB into that heap once one of them was freed. Small objects behind them keep their room
 *   from returning: 166 of 288 MiB were free after two minutes of hostile traffic. Bodies of more than 1.25 MiB get pages of
 *   their own, which return at once (228 MiB resident instead of 335, after six attacks in a row) for a fifth more CPU at
 *   8 MB; those of 1 MiB and less stay in the heap.
 * - The compile cache spares compiling, and node's TypeScript stripper with its 30 MB.
 */
const variables: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '1310720',
  // Set by glibc itself only while the one above isn't: its 128 KiB would give the heap's end back after each large body.
  MALLOC_TRIM_THRESHOLD_: '16777216',
  // Beside the code, not in a temporary directory: who writes there writes the gateway's code.
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/llm-gateway'),
}

/**
 * The same command with the flags and variables it lacks, which only the start of a process can give; undefined where it
 * has them all. Its caller's flags and arguments stay, and win. Undefined too where a process can't be replaced: on
 * Windows, under node's permission model, and with an IPC channel, which would be lost.
 */
export function replacement(running: Running): Replacement | undefined {
  const { execPath, execArgv, argv, argv0, env } = running
  if (!isReplaceable(running)) return undefined
  const given = [...execArgv, ...(env.NODE_OPTIONS ?? '').split(' ')].map(nameOf)
  const missingFlags = knowsFlags(running) ? flags.filter((flag) => !given.includes(nameOf(flag))) : []
  const missingVariables = Object.entries(variables).filter(([name]) => env[name] === undefined)
  if (missingFlags.length === 0 && missingVariables.length === 0) return undefined
  return {
    file: execPath,
    args: [argv0, ...missingFlags, ...execArgv, ...argv.slice(1)],
    environment: { ...env, ...Object.fromEntries(missingVariables) },
  }
}

function knowsFlags({ version }: Running): boolean {
  const major = Number(/^v(\d+)\./.exec(version)?.[1])
  return major >= majors.first && major <= majors.last
}

function isReplaceable({ platform, execve, permission, connected }: Running): boolean {
  return platform !== 'win32' && execve !== undefined && permission === undefined && !connected
}

/** V8 takes underscores for hyphens; a switch and its opposite are one name. */
function nameOf(flag: string): string {
  return (flag.split('=', 1)[0] ?? '').replaceAll('_', '-').replace(/^--no-/, '--')
}
