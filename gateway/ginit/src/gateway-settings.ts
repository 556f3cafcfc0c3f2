import { ConfError, checkGlConfig, type GlSettings, readDelivery } from '@llm-gateway/conf'

/** The settings of gl_config.json, of none its defaults; undefined where it can't be read, which the gateway says itself. */
export async function gatewaySettings(
  file: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<GlSettings | undefined> {
  const { SECRETS_DIR: secretsDir } = environment
  try {
    const place = file === undefined ? {} : { file }
    const { bytes, secrets } = await readDelivery({ ...place, ...(secretsDir ? { secretsDir } : {}) })
    const references = secrets === undefined ? { environment } : { environment, secrets }
    const check = checkGlConfig(bytes, references, { acceptMissing: true })
    return check.kind === 'checked' ? check.config.settings : undefined
  } catch (error) {
    if (error instanceof ConfError) return undefined
    throw error
  }
}
