import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { missingPrograms, programsFolder } from '../cluster/ensure-programs.ts'
import { type CommandResult, execute } from '../cluster/execute.ts'

export type HelmVersion = 'helm' | 'helm3'
export type HelmOptions = {
  readonly program?: HelmVersion
  /** The path of a kubeconfig; absent: helm reaches no cluster. */
  readonly kubeconfig?: string
  /** Wraps a command line so that the program runs in a cluster's network. */
  readonly inside?: (argv: readonly string[]) => readonly string[]
  readonly input?: string
  readonly timeoutMs?: number
}

/** Runs the pinned helm with a home of its own, without the plugins and repositories of the user. */
export async function runHelm(
  root: string,
  args: readonly string[],
  options: HelmOptions = {},
): Promise<CommandResult> {
  const { program = 'helm', kubeconfig, inside = (argv) => argv, ...rest } = options
  const home = mkdtempSync(join(tmpdir(), 'helm-'))
  const environment = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    HELM_CACHE_HOME: join(home, 'cache'),
    HELM_CONFIG_HOME: join(home, 'config'),
    HELM_DATA_HOME: join(home, 'data'),
    KUBECONFIG: kubeconfig ?? join(home, 'none'),
  }
  try {
    return await execute(inside([join(programsFolder(root), program), ...args]), { environment, ...rest })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Returns the reason why helm is missing on this machine; undefined when it exists. */
export function whyNoHelm(root: string, program: HelmVersion = 'helm'): string | undefined {
  const missing = missingPrograms(root, [program])
  return missing.length === 0 ? undefined : `${missing.join(', ')} not built: node tools/cluster/main.ts build`
}
