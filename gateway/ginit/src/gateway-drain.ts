import { ConfError, checkGlConfig, readDelivery } from '@llm-gateway/conf'

/**
 * Milliseconds that the gateway may take to end its calls: `drain_delay_ms` plus `drain_ms` of its file. Where the file is
 * unreadable or invalid, the defaults count; the gateway itself then runs on with its last good configuration.
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
