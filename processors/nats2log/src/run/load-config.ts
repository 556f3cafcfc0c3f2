import { ConfError, checkSinkConfig, type Environment, readDelivery, type SinkConfig } from '@llm-gateway/conf'
import type { Logger } from '@llm-gateway/sdk'

/** Reads and checks the file; undefined, with the reasons logged, when it is invalid. */
export async function loadConfig(
  file: string,
  environment: Environment,
  logger: Logger,
): Promise<SinkConfig | undefined> {
  const secretsDir = environment.SECRETS_DIR
  try {
    const { bytes, secrets } = await readDelivery({ file, ...(secretsDir ? { secretsDir } : {}) })
    const check = checkSinkConfig(bytes, { environment, ...(secrets === undefined ? {} : { secrets }) })
    if (check.kind === 'invalid') return invalid(logger, check.validationErrors)
    if (check.unknownKeys.length > 0) logger.warn({ unknown_keys: check.unknownKeys }, 'configuration has unknown keys')
    return check.config
  } catch (error) {
    if (error instanceof ConfError) return invalid(logger, { sink_config: error.code })
    throw error
  }
}

function invalid(logger: Logger, validation_errors: Readonly<Record<string, string>>): undefined {
  logger.error({ validation_errors }, 'configuration file validation failed')
}
