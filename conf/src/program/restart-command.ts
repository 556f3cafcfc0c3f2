/** The command that replaces this process. */
export type RestartCommand = {
  readonly file: string
  readonly args: readonly string[]
  readonly environment: NodeJS.ProcessEnv
}

/** The parts of node's `process` that decide about a replacement. */
export type RunningProcess = Pick<
  NodeJS.Process,
  'platform' | 'version' | 'execPath' | 'execArgv' | 'argv' | 'argv0' | 'env' | 'connected'
> & { readonly execve?: NodeJS.Process['execve'] | undefined; readonly permission?: object | undefined }

/** The flags and variables that a program wants, unless its caller sets them. */
export type ProcessOptions = {
  /** Flags of Node and V8. */
  readonly flags: readonly string[]
  readonly variables: Readonly<Record<string, string>>
}

/**
 * The major versions of Node that know the wanted flags. Other versions get none: V8 renames and drops flags, Node
 * exits with "bad option" for an unknown flag, and asking Node would take a process at each start.
 */
const majors = { first: 20, last: 24 } as const

/**
 * Returns the same command with missing flags and variables, which only a process's start can set; undefined where none
 * is missing. The caller's flags and arguments stay and take precedence. Also returns undefined where a process can't
 * be replaced: on Windows, under node's permission model, and with an IPC channel, which would be lost.
 */
export function restartCommand(
  running: RunningProcess,
  { flags, variables }: ProcessOptions,
): RestartCommand | undefined {
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

function knowsFlags({ version }: RunningProcess): boolean {
  const major = Number(/^v(\d+)\./.exec(version)?.[1])
  return major >= majors.first && major <= majors.last
}

function isReplaceable({ platform, execve, permission, connected }: RunningProcess): boolean {
  return platform !== 'win32' && execve !== undefined && permission === undefined && !connected
}

/** Returns a flag's name: V8 accepts underscores for hyphens, and a switch and its opposite share a name. */
function nameOf(flag: string): string {
  return (flag.split('=', 1)[0] ?? '').replaceAll('_', '-').replace(/^--no-/, '--')
}
