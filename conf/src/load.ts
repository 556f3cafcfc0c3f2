import { readdir, readFile, readlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The bytes of one configuration file and the values beside it, read as one delivery. */
export type Delivery = {
  readonly bytes: Uint8Array
  readonly secrets?: ReadonlyMap<string, string>
  /** The decimal of the file REVISION in SECRETS_DIR. */
  readonly valuesRevision?: string
}

export type ConfErrorCode = 'FILE_NOT_READABLE' | 'SECRETS_DIR_NOT_READABLE' | 'DELIVERY_CHANGING'

export class ConfError extends Error {
  readonly code: ConfErrorCode
  constructor(code: ConfErrorCode, cause?: unknown) {
    super(code, { cause })
    this.code = code
  }
}

const secretLimitBytes = 1024 * 1024
const attempts = 5

/**
 * Reads a file and SECRETS_DIR together. Kubernetes swaps a volume by renaming the link `..data`: everything is read
 * through the link's target, and again where it changed in between, so that no half of one delivery meets the other.
 */
export async function readDelivery(from: { file: string; secretsDir?: string }): Promise<Delivery> {
  for (let attempt = 1; ; attempt += 1) {
    const before = await generation(from)
    try {
      const delivery = await readOnce(from)
      if ((await generation(from)) === before) return delivery
    } catch (error) {
      if (attempt >= attempts) throw error
      continue
    }
    if (attempt >= attempts) throw new ConfError('DELIVERY_CHANGING')
  }
}

async function generation({ file, secretsDir }: { file: string; secretsDir?: string }): Promise<string> {
  const dirs = [dirname(file), ...(secretsDir === undefined ? [] : [secretsDir])]
  return (await Promise.all(dirs.map((dir) => readlink(join(dir, '..data')).catch(() => '')))).join('\n')
}

async function readOnce({ file, secretsDir }: { file: string; secretsDir?: string }): Promise<Delivery> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new ConfError('FILE_NOT_READABLE', error)
  })
  if (secretsDir === undefined) return { bytes }
  const secrets = await readSecrets(secretsDir).catch((error: unknown) => {
    throw new ConfError('SECRETS_DIR_NOT_READABLE', error)
  })
  const revision = secrets.get('REVISION')
  return { bytes, secrets, ...(revision !== undefined && /^\d+$/.test(revision) ? { valuesRevision: revision } : {}) }
}

async function readSecrets(dir: string): Promise<ReadonlyMap<string, string>> {
  const secrets = new Map<string, string>()
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    if (entry.name.startsWith('.') || entry.isDirectory()) continue
    const text = await readFile(join(dir, entry.name))
    if (text.length <= secretLimitBytes) secrets.set(entry.name, text.toString().replace(/\r?\n$/, ''))
  }
  return secrets
}
