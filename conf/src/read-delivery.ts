import { readdir, readlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LIMIT_BYTES } from './decode-file.ts'
import { readRegularFile } from './read-regular-file.ts'

/** The bytes of a configuration file and the values beside it, read as one delivery. */
export type Delivery = {
  readonly bytes: Uint8Array
  /** File name in SECRETS_DIR → its text without one trailing newline; undefined where SECRETS_DIR isn't set. */
  readonly secrets?: ReadonlyMap<string, string>
  /** The decimal number in the file REVISION of SECRETS_DIR. */
  readonly valuesRevision?: string
}

export type ConfErrorCode =
  | 'FILE_NOT_READABLE'
  | 'FILE_TOO_LARGE'
  | 'SECRETS_DIR_NOT_READABLE'
  | 'SECRETS_DIR_TOO_LARGE'
  /** The delivery was swapped repeatedly during the reading. */
  | 'DELIVERY_CHANGING'

export class ConfError extends Error {
  readonly code: ConfErrorCode
  constructor(code: ConfErrorCode, cause?: unknown) {
    super(code, { cause })
    this.code = code
  }
}

/** Without `file`, the delivery's bytes are `{}`. */
type DeliveryPaths = { readonly file?: string; readonly secretsDir?: string }

/** A larger value counts as missing: no header, address or token is that long. */
const LARGEST_SECRET_BYTES = 1024 * 1024
const MAX_SECRETS = 50_000
/** The most bytes of all values; a folder with more isn't one of secrets, and would not fit in memory. */
const SECRETS_BYTES = 64 * 1024 * 1024
const ATTEMPTS = 5

/**
 * Reads a file and SECRETS_DIR together; rejects with ConfError. Kubernetes swaps a volume by renaming its link
 * `..data`. When the link changes during the reading, everything is read again, so that file and values belong to one
 * delivery (docs/reference/kubernetes.md#delivery).
 */
export async function readDelivery(place: DeliveryPaths): Promise<Delivery> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = await generation(place)
    const delivery = await readOnce(place).catch(confError)
    if ((await generation(place)) !== before) continue
    if (delivery instanceof ConfError) throw delivery
    return delivery
  }
  throw new ConfError('DELIVERY_CHANGING')
}

function confError(error: unknown): ConfError {
  if (error instanceof ConfError) return error
  throw error
}

async function generation({ file, secretsDir }: DeliveryPaths): Promise<string> {
  const folders = [...(file === undefined ? [] : [dirname(file)]), ...(secretsDir === undefined ? [] : [secretsDir])]
  const links = folders.map((folder) => readlink(join(folder, '..data')).catch(() => ''))
  return JSON.stringify(await Promise.all(links))
}

async function readOnce({ file, secretsDir }: DeliveryPaths): Promise<Delivery> {
  const bytes = file === undefined ? Buffer.from('{}') : await readFileBytes(file)
  if (secretsDir === undefined) return { bytes }
  const secrets = await readSecrets(secretsDir).catch((error: unknown) => {
    throw error instanceof ConfError ? error : new ConfError('SECRETS_DIR_NOT_READABLE', error)
  })
  const revision = secrets.get('REVISION')
  return {
    bytes,
    secrets,
    ...(revision !== undefined && /^\d{1,20}$/.test(revision) ? { valuesRevision: revision } : {}),
  }
}

async function readFileBytes(file: string): Promise<Uint8Array> {
  const bytes = await readBounded(file, LIMIT_BYTES).catch((error: unknown) => {
    throw new ConfError('FILE_NOT_READABLE', error)
  })
  if (bytes === undefined) throw new ConfError('FILE_TOO_LARGE')
  return bytes
}

async function readSecrets(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).slice(0, MAX_SECRETS)
  const secrets = new Map<string, string>()
  let read = 0
  for (const name of names) {
    const bytes = await readBounded(join(folder, name), LARGEST_SECRET_BYTES).catch(missingOnly)
    read += bytes?.length ?? 0
    if (read > SECRETS_BYTES) throw new ConfError('SECRETS_DIR_TOO_LARGE')
    if (bytes !== undefined) secrets.set(name, bytes.toString().replace(/\r?\n$/, ''))
  }
  return secrets
}

/** Errors of the whole process or system: with them every value would be missing, and all routers would be lost. */
const EXHAUSTED: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOMEM'])

/** An unreadable file is a missing value, which costs only the routers that refer to it. */
function missingOnly(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && !EXHAUSTED.has(error.code)) return undefined
  throw error
}

/** Returns undefined for a path that isn't a file, or for one that is too large. */
async function readBounded(file: string, limitBytes: number): Promise<Buffer | undefined> {
  const reading = await readRegularFile(file, { limitBytes })
  return reading.kind === 'read' ? reading.bytes : undefined
}
