import { setTimeout as delay } from 'node:timers/promises'
import {
  busEnvironment,
  type Command,
  ConfError,
  checkGlConfig,
  findCommand,
  type GinitConfig,
  type GinitService,
  isBus,
  type ProgramFolders,
  readDelivery,
} from '@llm-gateway/conf'
import type { ServicePlan } from './service-plan.ts'

const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 30_000

/** Returns the services of ginit_config.json in order, each with its command and environment. */
export function planServices(
  config: GinitConfig,
  environment: NodeJS.ProcessEnv,
  places: ProgramFolders,
): readonly ServicePlan[] {
  return config.services.map((service) => {
    const command = commandOf(service, places)
    const { configuration_file: file, validate_command: validate, disable_config_file_monitoring: unwatched } = service
    return {
      name: service.name,
      command,
      environment: isBus(service.file) ? busEnvironment(environment) : environment,
      healthyOutput: service.healthy_output,
      startTimeoutMs: START_TIMEOUT_MS,
      stopTimeoutMs: STOP_TIMEOUT_MS,
      diePromise: service.die_promise,
      isOptional: service.optional,
      // Calls that run when the gateway stops can end.
      ...(service.name === 'gl' ? { drainMs: () => gatewayDrainMs(file, environment) } : {}),
      ...(unwatched ? {} : { watchedFile: file }),
      ...(validate === '' ? {} : { validation: { ...command, args: [...command.args, validate] } }),
    }
  })
}

function commandOf(service: GinitService, places: ProgramFolders): Command {
  const { file, config_command, configuration_file, additional_arguments } = service
  return findCommand(file, [config_command, configuration_file, ...additional_arguments], places)
}

/** A reading by another function and another time for tests. */
type DrainReading = { readonly read?: typeof readDelivery; readonly timeoutMs?: number }

const READ_TIMEOUT_MS = 5_000

/**
 * Returns the milliseconds that the gateway may take to end its calls: `drain_delay_ms` plus `drain_ms` of its file.
 * For an unreadable or invalid file, or a reading that hangs, the defaults count; the gateway itself keeps its last good
 * configuration.
 */
export async function gatewayDrainMs(
  file: string,
  environment: NodeJS.ProcessEnv,
  { read = readDelivery, timeoutMs = READ_TIMEOUT_MS }: DrainReading = {},
): Promise<number> {
  const { SECRETS_DIR: secretsDir } = environment
  const limit = new AbortController()
  try {
    const reading = read({ file, ...(secretsDir ? { secretsDir } : {}) })
    const late = delay(timeoutMs, undefined, { signal: limit.signal }).catch(() => undefined)
    const delivery = await Promise.race([reading, late])
    if (delivery === undefined) return drainOf(EMPTY, { environment })
    const { bytes, secrets } = delivery
    return drainOf(bytes, secrets === undefined ? { environment } : { environment, secrets })
  } catch (error) {
    if (error instanceof ConfError) return drainOf(EMPTY, { environment })
    throw error
  } finally {
    limit.abort()
  }
}

const EMPTY = Buffer.from('{}')

function drainOf(bytes: Uint8Array, references: Parameters<typeof checkGlConfig>[1]): number {
  const check = checkGlConfig(bytes, references, { acceptMissing: true })
  if (check.kind !== 'checked') return drainOf(EMPTY, references)
  const { drain_delay_ms: delayMs, drain_ms: limitMs } = check.config.settings.limits
  return delayMs + limitMs
}
