import {
  ConfError,
  checkProcessorSettings,
  type Environment,
  type ProgramSettings,
  readDelivery,
} from '@llm-gateway/conf/processor'
import type { Logger } from '../logger.ts'
import type { ProcessorDefinition } from './definition.ts'

export type SettingsPlace<Settings extends object> = {
  readonly definition: ProcessorDefinition<Settings>
  /** Undefined: no file, which counts as the file `{}`. */
  readonly file: string | undefined
  readonly environment: Environment
  readonly logger: Logger
}

/** Reads and checks a processor's settings; undefined, with the reasons logged, when they are invalid. */
export async function loadSettings<Settings extends object>(
  place: SettingsPlace<Settings>,
): Promise<(ProgramSettings & Settings) | undefined> {
  const { definition, file, environment, logger } = place
  const root = settingsRoot(definition)
  const secretsDir = environment.SECRETS_DIR
  try {
    const { bytes, secrets } = await readDelivery({
      ...(file === undefined ? {} : { file }),
      ...(secretsDir ? { secretsDir } : {}),
    })
    const references = { environment, ...(secrets === undefined ? {} : { secrets }) }
    const overrides = new Map(setVariables(place).map(({ setting, value }) => [setting, value] as const))
    const check = checkProcessorSettings(bytes, references, { schema: definition.settings, root, overrides })
    if (check.kind === 'invalid') return rejectSettings(place, check.validationErrors)
    if (check.unknownKeys.length > 0) logger.warn({ unknown_keys: check.unknownKeys }, 'configuration has unknown keys')
    return check.config
  } catch (error) {
    if (error instanceof ConfError) return rejectSettings(place, { [root]: error.code })
    throw error
  }
}

/** Logs each invalid setting (path → reason), with the file and the environment variables of invalid values. */
export function rejectSettings<Settings extends object>(
  place: SettingsPlace<Settings>,
  validation_errors: Readonly<Record<string, string>>,
): undefined {
  const { definition, file, logger } = place
  const paths = Object.keys(validation_errors)
  const variables = setVariables(place)
    .filter(({ setting }) => paths.some((path) => isAt(path, `${settingsRoot(definition)}.${setting}`)))
    .map(({ name }) => name)
  const from = { ...(file === undefined ? {} : { file }), ...(variables.length === 0 ? {} : { variables }) }
  logger.error({ ...from, validation_errors }, 'configuration file validation failed')
}

/** Returns the first part of the paths of a processor's settings, such as `mock_config`. */
export function settingsRoot({ name }: { readonly name: string }): string {
  return `${name}_config`
}

type SetVariable = { readonly name: string; readonly setting: string; readonly value: string }

/** Returns the environment variables that are set and override settings. */
function setVariables<Settings extends object>(place: SettingsPlace<Settings>): readonly SetVariable[] {
  return Object.entries<string>(place.definition.variables ?? {}).flatMap(([name, setting]) => {
    const value = place.environment[name]
    return value ? [{ name, setting, value }] : []
  })
}

/** Returns whether a path names the setting or a part of it. */
function isAt(path: string, setting: string): boolean {
  return path === setting || path.startsWith(`${setting}.`) || path.startsWith(`${setting}[`)
}
