import { resolve } from 'node:path'
import type { GinitConfig } from '@llm-gateway/conf'
import { environmentFor } from './bus-token.ts'
import { findCommand, type ProgramPlaces } from './find-command.ts'
import type { ServicePlan } from './service-plan.ts'

const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 10_000

/** The services of ginit_config.json in their order, each with its command and its environment. */
export function planServices(
  config: GinitConfig,
  environment: NodeJS.ProcessEnv,
  places: ProgramPlaces,
): readonly ServicePlan[] {
  return config.services.map((service) => {
    const { name, file, configuration_file } = service
    const args = [service.config_command, configuration_file, ...service.additional_arguments].filter((arg) => arg !== '')
    const plan = {
      name,
      command: findCommand(file, args, places),
      environment: environmentFor(file, environment),
      healthyOutput: service.healthy_output,
      startTimeoutMs: START_TIMEOUT_MS,
      stopTimeoutMs: STOP_TIMEOUT_MS,
      diePromise: service.die_promise,
    }
    return plan
  })
}
