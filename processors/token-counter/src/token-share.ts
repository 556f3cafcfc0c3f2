import { isJsonObject } from '@llm-gateway/protocol'
import type { TokenCounts } from './usage.ts'

/** The identity of a share: the tokens that one replica counted on one router in one window. */
export type TokenShare = {
  readonly window: number
  readonly replica: string
  readonly router: string
}

/** Counts take some 100 bytes. Any program on the bus may write into the store, and the main thread parses its values. */
const MOST_BYTES = 64 * 1024
const KEY = /^(\d{1,16}) (\S{1,64}) (.*)$/s

/** Returns the key of a share in the bucket. */
export function shareKey({ window, replica, router }: TokenShare): string {
  return `${window} ${replica} ${router}`
}

/** Parses a key; undefined when no token counter wrote it. */
export function parseShareKey(key: string): TokenShare | undefined {
  const [, window, replica, router] = KEY.exec(key) ?? []
  if (replica === undefined || router === undefined) return undefined
  return { window: Number(window), replica, router }
}

export function encodeCounts(counts: TokenCounts): Uint8Array {
  return Buffer.from(JSON.stringify(Object.fromEntries(counts)))
}

/** Decodes counts; empty for bytes that `encodeCounts` did not make. */
export function decodeCounts(bytes: Uint8Array): TokenCounts {
  const counts = new Map<string, number>()
  if (bytes.length > MOST_BYTES) return counts
  for (const [field, tokens] of Object.entries(parsedObject(bytes))) {
    if (typeof tokens === 'number' && tokens >= 0) counts.set(field, tokens)
  }
  return counts
}

/** Sums counts by field. */
export function sumOfCounts(all: Iterable<TokenCounts>): TokenCounts {
  const sum = new Map<string, number>()
  for (const counts of all) {
    for (const [field, tokens] of counts) sum.set(field, (sum.get(field) ?? 0) + tokens)
  }
  return sum
}

function parsedObject(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return isJsonObject(value) ? value : {}
  } catch {
    return {} // another program's bytes
  }
}
