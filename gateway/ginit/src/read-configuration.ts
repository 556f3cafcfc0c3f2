import { ConfError, checkGinitConfig, type GinitConfig, type Logger, readDelivery } from '@llm-gateway/conf'

/**
 * Reads and checks ginit_config.json; returns undefined, after an ERROR line with the reasons, where the supervisor
 * can't start with it.
 */
export async function readConfiguration(
  file: string,
  environment: NodeJS.ProcessEnv,
  logger: Logger,
): Promise<GinitConfig | undefined> {
  try {
    const { SECRETS_DIR: secretsDir } = environment
    const { bytes, secrets } = await readDelivery({ file, ...(secretsDir ? { secretsDir } : {}) })
    const check = checkGinitConfig(bytes, { environment, ...(secrets === undefined ? {} : { secrets }) })
    if (check.kind === 'invalid') {
      logger.error({ file, validation_errors: check.validationErrors }, 'configuration file validation failed')
      return undefined
    }
    if (check.unknownKeys.length > 0)
      logger.warn({ file, unknown_keys: check.unknownKeys }, 'configuration has unknown keys')
    return check.config
  } catch (error) {
    if (!(error instanceof ConfError)) throw error
    logger.error({ file, code: error.code }, 'configuration file not readable')
    return undefined
  }
}
