import { mkdir, mkdtemp, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CheckedGlConfig, Environment, Logger } from '@llm-gateway/conf'
import { Journal } from '@llm-gateway/test/fake/journal'
import { type Reload, type ReloadOptions, type ReloadTimings, startReload } from './reload.ts'
import type { ReloadState } from './reload-state.ts'

export type Line = { readonly level: string; readonly msg: string; readonly fields: Record<string, unknown> }

/** A reload on a real file and a real SECRETS_DIR; the compiled configuration is the checked configuration. */
export type ReloadUnderTest = Reload<CheckedGlConfig> & {
  readonly directory: string
  readonly file: string
  readonly secretsDir: string
  readonly lines: Journal<Line>
  readonly states: Journal<ReloadState>
  [Symbol.asyncDispose](): Promise<void>
}

export type Start = {
  readonly config: unknown
  readonly secrets?: Readonly<Record<string, string>>
  readonly environment?: Environment
  readonly timings?: Partial<ReloadTimings>
  readonly compile?: ReloadOptions<CheckedGlConfig>['compile']
  readonly read?: ReloadOptions<CheckedGlConfig>['read']
}

const FAST = {
  debounceMs: 1,
  leastPauseMs: 0,
  mostPauseMs: 0,
  pollMs: 20,
  settleMs: 5000,
  retryMs: 10,
  giveUpMissingMs: 60_000,
}

export async function reloadUnderTest(start: Start): Promise<ReloadUnderTest> {
  const root = await mkdtemp(join(tmpdir(), 'llm-gateway-reload-'))
  const [directory, secretsDir] = [join(root, 'conf'), join(root, 'secrets')]
  const file = join(directory, 'gl_config.json')
  await Promise.all([mkdir(directory), mkdir(secretsDir)])
  await writeFile(file, text(start.config))
  for (const [name, value] of Object.entries(start.secrets ?? {})) await writeFile(join(secretsDir, name), value)
  const removed = () => rm(root, { recursive: true, force: true })
  const lines = new Journal<Line>()
  const states = new Journal<ReloadState>()
  try {
    const reload = await startReload({
      file,
      secretsDir,
      environment: start.environment ?? {},
      logger: loggerInto(lines),
      compile: start.compile ?? (async (config) => config),
      ...(start.read === undefined ? {} : { read: start.read }),
      onReport: (state) => states.add(state),
      timings: { ...FAST, ...start.timings },
    })
    const dispose = async (): Promise<void> => {
      await reload.close()
      await removed()
    }
    return Object.assign(reload, { directory, file, secretsDir, lines, states, [Symbol.asyncDispose]: dispose })
  } catch (error) {
    await removed()
    throw error
  }
}

export function text(config: unknown): string {
  return typeof config === 'string' ? config : JSON.stringify(config)
}

export function loggerInto(lines: Journal<Line>): Logger {
  const at = (level: string) => (fields: object, msg: string) => lines.add({ level, msg, fields: { ...fields } })
  return { debug: at('DEBUG'), info: at('INFO'), warn: at('WARN'), error: at('ERROR'), level: 'INFO' }
}

/**
 * Swaps a volume as the kubelet does: a new directory, the link `..data` replaced by a rename, the old directory
 * removed.
 */
export async function swapVolume(
  directory: string,
  name: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const old = await readlink(join(directory, '..data')).catch(() => undefined)
  await mkdir(join(directory, name))
  for (const [file, content] of Object.entries(files)) await writeFile(join(directory, name, file), content)
  await symlink(name, join(directory, '..data_tmp'))
  await rename(join(directory, '..data_tmp'), join(directory, '..data'))
  for (const file of Object.keys(files)) {
    const link = join(directory, file)
    if ((await readlink(link).catch(() => undefined)) === join('..data', file)) continue
    await rm(link, { force: true })
    await symlink(join('..data', file), link)
  }
  if (old !== undefined) await rm(join(directory, old), { recursive: true })
}
