import { createHash } from 'node:crypto'
import { ConfError, type Environment, fingerprintOf, type References, readDelivery } from '@llm-gateway/conf'

/** The file and the values as they are now, not yet judged. */
export type ReadConfig = {
  readonly kind: 'read'
  readonly bytes: Uint8Array
  readonly references: References
  readonly valuesRevision: string | undefined
  /** Differs when the bytes or a referenced value differ; never logged. */
  readonly fingerprint: string
}

export type ConfigReading = ReadConfig | { readonly kind: 'unreadable'; readonly code: string }

export type ConfigPlace = { readonly file: string; readonly secretsDir?: string; readonly environment: Environment }

/** Never rejects. */
export async function readConfig({ file, secretsDir, environment }: ConfigPlace): Promise<ConfigReading> {
  try {
    const delivery = await readDelivery(secretsDir === undefined ? { file } : { file, secretsDir })
    const { bytes, secrets, valuesRevision } = delivery
    const references = secrets === undefined ? { environment } : { environment, secrets }
    return { kind: 'read', bytes, references, valuesRevision, fingerprint: fingerprint(bytes, references) }
  } catch (error) {
    return { kind: 'unreadable', code: error instanceof ConfError ? error.code : 'INTERNAL' }
  }
}

/** Bytes that are too much for the parser (its stack, say) are told apart by themselves. */
function fingerprint(bytes: Uint8Array, references: References): string {
  try {
    return fingerprintOf(bytes, references)
  } catch {
    return createHash('sha256').update(bytes).digest('hex')
  }
}
