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

/** How a program wants to be started where its caller doesn't say otherwise. */
export type WantedStart = {
  /** Of Node and V8. */
  readonly flags: readonly string[]
  readonly variables: Readonly<Record<string, string>>
}

/**
 * Node's majors that know the flags that our programs want. Any other gets none: V8 names and drops its flags as it likes,
 * Node ends at once with "bad option" where it doesn't know one, and asking it would cost each start a process.
 */
const majors = { first: 20, last: 24 } as const

/**
 * The same command with the flags and variables it lacks, which only the start of a process can give; undefined where it
 * has them all. Its caller's flags and arguments stay, and win. Undefined too where a process can't be replaced: on
 * Windows, under node's permission model, and with an IPC channel, which would be lost.
 */
export function replacement(running: Running, { flags, variables }: WantedStart): Replacement | undefined {
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
