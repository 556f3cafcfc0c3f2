import { gzipSync } from 'node:zlib'
import { MAX_ROUTERS_SIZE } from '@llm-gateway/conf'
import type { FileStart } from './file-start.ts'
import { heldSeal, type SealedEntry } from './routers/seal-entries.ts'
import type { Steps } from './steps.ts'

export type FittedConfig = {
  /** The text of gl_config.json. */
  readonly text: string
  readonly entries: readonly SealedEntry[]
  /** Paths of valid entries that found no room. */
  readonly crowdedOut: ReadonlySet<string>
}

/** A ConfigMap and a Secret hold 1 MiB each. The rest is room for their other fields. */
const MAX_OBJECT_BYTES = 1_000_000
/** The gateway unpacks at most 64 MiB. A quarter of that leaves operator and gateway room for their copies. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024
/** The room for the gateway's own router `/echo/`, which takes less. */
const ECHO_SIZE = 1024
/** etcd takes requests of up to 1.5 MiB. A request has each key of a Secret twice: in data and in managedFields. */
const MAX_STORED_BYTES = 1_450_000
const KEY_BYTES = 56
/** The packing of so many bytes is one step. */
const PACKED_AT_ONCE_BYTES = 512 * 1024

/** The share of one namespace. Its further entries count as the newest, so they take no room from other namespaces. */
const SHARE_BYTES = MAX_OBJECT_BYTES / 8

/**
 * Chooses the entries that a ConfigMap and a Secret can hold, the older first (docs/reference/kubernetes.md#delivery).
 * Entries without room still hold their paths, as long as there is room for that. The lists of rows don't name them, so
 * that rows for all Routers take no more room than the Routers that work.
 */
export function* fitCapacity(start: FileStart, sealed: readonly SealedEntry[]): Steps<FittedConfig> {
  const all = arranger(start, sealed)(2 * sealed.length)
  if (yield* fits(all)) return { entries: all.entries, text: yield* textOf(all), crowdedOut: new Set() }
  const queue = queued(sealed, yield* start.listed())
  const arrange = arranger(start, queue)
  const most = yield* largest(2 * sealed.length, (k) => fits(arrange(k)))
  const rest = queue.slice(Math.max(0, most - sealed.length))
  const crowded = rest.filter(({ problems, tooLarge }) => problems.length === 0 && tooLarge === undefined)
  const fitted = arrange(most)
  return { entries: fitted.entries, text: yield* textOf(fitted), crowdedOut: new Set(crowded.map(({ path }) => path)) }
}

/** Orders entries by age, those beyond their namespace's share after all others; `listed` is what rows cost. */
function queued(aged: readonly SealedEntry[], listed: ReadonlyMap<string, number>): readonly SealedEntry[] {
  const taken = new Map<string, number>()
  const isWithin = aged.map((entry) => {
    if (entry.tenant === undefined) return true
    const sum = (taken.get(entry.tenant) ?? 0) + costOf(entry) + (listed.get(entry.path) ?? 0)
    taken.set(entry.tenant, sum)
    return sum <= SHARE_BYTES
  })
  return [...aged.filter((_, age) => isWithin[age]), ...aged.filter((_, age) => !isWithin[age])]
}

type ArrangedConfig = {
  readonly start: FileStart
  /** The paths that no list of a row names. */
  readonly leftOut: ReadonlySet<string>
  readonly entries: readonly SealedEntry[]
}

/**
 * Returns a function k → sorted file. Of n entries the first k hold their paths for k ≤ n; above n, the first k − n
 * work and the others hold their paths.
 */
function arranger(start: FileStart, aged: readonly SealedEntry[]): (k: number) => ArrangedConfig {
  const sorted = [...aged.entries()].sort(([, a], [, b]) => (a.path < b.path ? -1 : 1))
  const held = new Map<SealedEntry, SealedEntry>()
  const hold = (one: SealedEntry): SealedEntry => {
    const known = held.get(one) ?? heldSeal(one)
    held.set(one, known)
    return known
  }
  return (k) => {
    const working = k - aged.length
    const entries = sorted.filter(([age]) => age < k).map(([age, entry]) => (age < working ? entry : hold(entry)))
    return { start, leftOut: new Set(aged.slice(Math.max(0, working)).map(({ path }) => path)), entries }
  }
}

function* textOf({ start, leftOut, entries }: ArrangedConfig): Steps<string> {
  return `${yield* start.text(leftOut)}[${entries.map(({ text }) => text).join(',')}]}`
}

/** Returns whether a file and its values fit. What is cheap to know comes first. */
function* fits(arranged: ArrangedConfig): Steps<boolean> {
  yield
  const { start, leftOut, entries } = arranged
  const characters = entries.reduce((sum, { text }) => sum + text.length, yield* start.characters(leftOut))
  const size = entries.reduce((sum, one) => sum + one.size, ECHO_SIZE)
  if (characters > MAX_TEXT_BYTES || size > MAX_ROUTERS_SIZE || !fitsSecret(valuesOf(entries))) return false
  const text = Buffer.from(yield* textOf(arranged))
  return text.length <= MAX_TEXT_BYTES && (text.length <= MAX_OBJECT_BYTES || (yield* packs(text)))
}

/**
 * Returns whether a packed text fits. Level 1 packs least, and parts pack less than their whole, so a text that fits
 * here fits as it will be written.
 */
function* packs(text: Buffer): Steps<boolean> {
  let bytes = 0
  for (let from = 0; from < text.length; from += PACKED_AT_ONCE_BYTES) {
    bytes += gzipSync(text.subarray(from, from + PACKED_AT_ONCE_BYTES), { level: 1 }).length
    if (bytes > MAX_OBJECT_BYTES) return false
    yield
  }
  return true
}

/** Returns the text of each name once. Entries with a name in common have one text for it. */
function* valuesOf(entries: readonly SealedEntry[]): Iterable<string> {
  const names = new Set<string>()
  for (const { values } of entries) {
    for (const [name, text] of values) {
      if (names.has(name)) continue
      names.add(name)
      yield text
    }
  }
}

/** Returns whether one Secret holds these texts, each under a name of 18 characters. */
export function fitsSecret(texts: Iterable<string>): boolean {
  let [sum, stored] = [0, 0]
  for (const text of texts) {
    const bytes = Buffer.byteLength(text)
    sum += bytes
    stored += bytes + KEY_BYTES
    if (sum > MAX_OBJECT_BYTES || stored > MAX_STORED_BYTES) return false
  }
  return true
}

/** Returns the bytes of an entry in the unpacked file and of its values in the Secret. */
function costOf({ text, values }: SealedEntry): number {
  return values.reduce((sum, [, value]) => sum + Buffer.byteLength(value) + KEY_BYTES, Buffer.byteLength(text))
}

/** Returns the largest k up to `most` for which `holds` is true; 0 where there is none. */
function* largest(most: number, holds: (k: number) => Steps<boolean>): Steps<number> {
  let [low, high] = [0, most]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (yield* holds(middle)) low = middle
    else high = middle - 1
  }
  return low
}
