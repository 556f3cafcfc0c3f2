import { ConfError, checkGlConfig, readDelivery } from '@llm-gateway/conf'

/**
 * How long the gateway may take to end its calls: `drain_delay_ms` and `drain_ms` of its file as it is now, those of an
 * empty file where it can't be read or judged (the gateway runs on with what it had then).
 */
export async function gatewayDrainMs(file: string, environment: NodeJS.ProcessEnv): Promise<number> {
  const { SECRETS_DIR: secretsDir } = environment
  try {
    const { bytes, secrets } = await readDelivery({ file, ...(secretsDir ? { secretsDir } : {}) })
    return drainOf(bytes, secrets === undefined ? { environment } : { environment, secrets })
  } catch (error) {
    if (error instanceof ConfError) return drainOf(EMPTY, { environment })
    throw error
  }
}

const EMPTY = Buffer.from('{}')

function drainOf(bytes: Uint8Array, references: Parameters<typeof checkGlConfig>[1]): number {
  const check = checkGlConfig(bytes, references, { acceptMissing: true })
  if (check.kind !== 'checked') return drainOf(EMPTY, references)
  const { drain_delay_ms: delayMs, drain_ms: limitMs } = check.config.settings.limits
  return delayMs + limitMs
}
