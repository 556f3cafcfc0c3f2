import { ConfError, checkGlConfig, type GlSettings, readDelivery } from '@llm-gateway/conf'

/**
 * Returns the settings of gl_config.json, or the defaults without a file; undefined where the file is unreadable or
 * invalid, which the gateway logs.
 */
export async function gatewaySettings(
  file: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<GlSettings | undefined> {
  const { SECRETS_DIR: secretsDir } = environment
  try {
    const path = file === undefined ? {} : { file }
    const { bytes, secrets } = await readDelivery({ ...path, ...(secretsDir ? { secretsDir } : {}) })
    const references = secrets === undefined ? { environment } : { environment, secrets }
    const check = checkGlConfig(bytes, references, { acceptMissing: true })
    return check.kind === 'checked' ? check.config.settings : undefined
  } catch (error) {
    if (error instanceof ConfError) return undefined
    throw error
  }
}
