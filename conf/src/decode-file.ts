import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'

const limitBytes = 64 * 1024 * 1024

export type DecodedFile =
  | { readonly kind: 'decoded'; readonly digest: string; readonly json: Uint8Array; readonly value: unknown }
  | { readonly kind: 'broken'; readonly digest: string; readonly reason: string }

/** Unpacks (gzip, told by its first two bytes) and parses a configuration file. */
export function decodeFile(bytes: Uint8Array): DecodedFile {
  const json = unpack(bytes)
  if (json === undefined) return { kind: 'broken', digest: digestOf(bytes), reason: 'gzip:' }
  try {
    return {
      kind: 'decoded',
      digest: digestOf(json),
      json,
      value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json)),
    }
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError)
      return { kind: 'broken', digest: digestOf(json), reason: 'json:' }
    throw error
  }
}

function unpack(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.length > limitBytes ? undefined : bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: limitBytes })
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}
