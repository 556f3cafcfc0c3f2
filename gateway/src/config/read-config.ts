import { readdir, stat } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { ConfError, type Delivery, type References, readDelivery } from '@llm-gateway/conf'
import { checkConfig, parseConfig } from './check-config.ts'
import { readInThread } from './config-thread.ts'
import type { ConfigSource, ReadResult } from './read-result.ts'

/**
 * The largest file that is read on the main thread: the work takes some 20 ms in all. A thread takes about as much
 * here, plus 150 ms of another core and 40 MB for a moment, so that only larger files use one.
 */
const SMALL_BYTES = 32 * 1024
const FEW_SECRETS = 1_000
/**
 * The commas and opening brackets of a small file, at most two for each value. The check of an invalid value takes some
 * 10 µs, and a file of 32 KiB may have 10,000 of them.
 */
const MOST_MARKS = 2_000
/** The characters that references may add to a small file. */
const SMALL_GROWTH = 1024 * 1024
const LARGEST_BYTES = 64 * 1024 * 1024

/** Reads the configuration; never rejects. An abort ends the reading with the result `unreadable`. */
export async function readConfig(place: ConfigSource, signal: AbortSignal): Promise<ReadResult> {
  try {
    const { size } = await stat(place.file)
    if (size > LARGEST_BYTES) return { kind: 'unreadable', code: 'FILE_TOO_LARGE', retry: 'never' }
    if (size > SMALL_BYTES || !(await hasFewSecrets(place))) return await readInThread(place, signal)
    const delivery = await readDelivery(place)
    return isSmall(delivery, place) ? readHere(delivery, place) : await readInThread(place, signal)
  } catch (error) {
    const code = error instanceof ConfError ? error.code : systemCode(error)
    return { kind: 'unreadable', code, retry: 'soon' }
  }
}

function systemCode(error: unknown): string {
  return error instanceof Error && 'syscall' in error ? 'FILE_NOT_READABLE' : 'INTERNAL'
}

export function referencesOf({ environment }: ConfigSource, { secrets }: Delivery): References {
  return secrets === undefined ? { environment } : { environment, secrets }
}

function readHere(delivery: Delivery, place: ConfigSource): ReadResult {
  const file = parseConfig(delivery.bytes, referencesOf(place, delivery))
  if (file === undefined) return { kind: 'unreadable', code: 'INTERNAL', retry: 'never' }
  return {
    kind: 'read',
    valuesRevision: delivery.valuesRevision,
    fingerprint: file.fingerprint,
    check: async (acceptMissing) => checkConfig(file, acceptMissing),
    close: async () => undefined,
  }
}

async function hasFewSecrets({ secretsDir }: ConfigSource): Promise<boolean> {
  return secretsDir === undefined || (await readdir(secretsDir).catch(() => [])).length <= FEW_SECRETS
}

/** Returns true for a delivery that is small unpacked, has few values and isn't full of references to long values. */
function isSmall({ bytes, secrets }: Delivery, { environment }: ConfigSource): boolean {
  const json = bytes.length > SMALL_BYTES ? undefined : unpacked(bytes)
  if (json === undefined) return false
  let references = 0
  let marks = 0
  for (const byte of json) {
    if (byte === DOLLAR) references += 1
    // Commas and brackets within texts count, too: a file with many of them costs a thread, no more.
    else if (byte === COMMA || byte === OPEN_ARRAY || byte === OPEN_OBJECT) marks += 1
  }
  if (marks > MOST_MARKS) return false
  if (references === 0) return true
  let longest = 0
  for (const value of Object.values(environment)) longest = Math.max(longest, value?.length ?? 0)
  for (const value of secrets?.values() ?? []) longest = Math.max(longest, value.length)
  return references * longest <= SMALL_GROWTH
}

/** Returns unpacked bytes, undefined where they are large. Bytes that can't be unpacked stay as they are. */
function unpacked(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes[0] !== GZIP) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: SMALL_BYTES })
  } catch (error) {
    return error instanceof RangeError ? undefined : bytes
  }
}

const GZIP = 0x1f
const [DOLLAR, COMMA, OPEN_ARRAY, OPEN_OBJECT] = Buffer.from('$,[{')
