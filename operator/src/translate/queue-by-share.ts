import { KEY_BYTES, MAX_OBJECT_BYTES, MAX_TEXT_BYTES } from './file-limits.ts'
import { packedSize } from './packed-size.ts'
import type { SealedEntry } from './routers/seal-entries.ts'
import type { Steps } from './steps.ts'

/**
 * The share of one namespace: the bytes that it takes as it is stored, and those of its unpacked text. Its further
 * entries count as the newest, so they take no room from other namespaces.
 */
const SHARE = { stored: MAX_OBJECT_BYTES / 8, text: MAX_TEXT_BYTES / 8 }

/** Path → the characters that it takes in the lists of rows. */
type Listed = ReadonlyMap<string, number>

/** Orders entries by age, those beyond their namespace's share after all others. */
export function* queueByShare(aged: readonly SealedEntry[], listed: Listed): Steps<readonly SealedEntry[]> {
  const weights = yield* weightsOf(aged, listed)
  const taken = new Map<string, { readonly stored: number; readonly text: number }>()
  const isWithin = aged.map((entry) => {
    const { tenant, path, text } = entry
    if (tenant === undefined) return true
    const before = taken.get(tenant) ?? { stored: 0, text: 0 }
    const places = listed.get(path) ?? 0
    const stored = before.stored + storedBytes(entry) + places * (weights.get(tenant) ?? 0)
    const sum = { stored, text: before.text + Buffer.byteLength(text) + places }
    taken.set(tenant, sum)
    return sum.stored <= SHARE.stored && sum.text <= SHARE.text
  })
  return [...aged.filter((_, age) => isWithin[age]), ...aged.filter((_, age) => !isWithin[age])]
}

/**
 * Returns namespace → the packed bytes of a character of its paths. Lists repeat paths at a distance at which gzip
 * finds no repetition, so that each place costs what the paths pack to on their own.
 */
function* weightsOf(aged: readonly SealedEntry[], listed: Listed): Steps<ReadonlyMap<string, number>> {
  const paths = new Map<string, string[]>()
  for (const { tenant, path } of aged) {
    if (tenant === undefined || !listed.has(path)) continue
    const own = paths.get(tenant) ?? []
    own.push(path)
    paths.set(tenant, own)
  }
  const weights = new Map<string, number>()
  for (const [tenant, own] of paths) {
    const text = Buffer.from(JSON.stringify(own.sort()))
    weights.set(tenant, Math.min(1, (yield* packedSize(text)) / text.length))
  }
  return weights
}

/** Returns the bytes of an entry in the unpacked file and of its values in the Secret. */
function storedBytes({ text, values }: SealedEntry): number {
  return values.reduce((sum, [, value]) => sum + Buffer.byteLength(value) + KEY_BYTES, Buffer.byteLength(text))
}
