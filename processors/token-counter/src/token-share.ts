import { isJsonObject } from '@llm-gateway/protocol'
import type { TokenCounts } from './usage.ts'

/** Whose tokens, when: what one replica counted on one router in one window. */
export type TokenShare = {
  readonly window: number
  readonly replica: string
  readonly router: string
}

const KEY = /^(\d{1,16}) (\S{1,64}) (.*)$/s

/** The name of a share in the bucket. */
export function shareKey({ window, replica, router }: TokenShare): string {
  return `${window} ${replica} ${router}`
}

/** Undefined where no token counter wrote the key. */
export function parseShareKey(key: string): TokenShare | undefined {
  const [, window, replica, router] = KEY.exec(key) ?? []
  if (replica === undefined || router === undefined) return undefined
  return { window: Number(window), replica, router }
}

export function encodeCounts(counts: TokenCounts): Uint8Array {
  return Buffer.from(JSON.stringify(Object.fromEntries(counts)))
}

/** No tokens where the bytes aren't what `encodeCounts` makes. */
export function decodeCounts(bytes: Uint8Array): TokenCounts {
  const counts = new Map<string, number>()
  for (const [field, tokens] of Object.entries(parsedObject(bytes))) {
    if (typeof tokens === 'number' && tokens >= 0) counts.set(field, tokens)
  }
  return counts
}

/** What is used in all. */
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
    return {} // Somebody else's bytes; there is nothing to count.
  }
}
