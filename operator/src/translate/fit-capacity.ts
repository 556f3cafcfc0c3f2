import { gzipSync } from 'node:zlib'
import { heldSeal, type SealedEntry } from './routers/seal-entries.ts'

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
/** etcd takes requests of up to 1.5 MiB. A request has each key of a Secret twice: in data and in managedFields. */
const MAX_STORED_BYTES = 1_450_000
const KEY_BYTES = 56

/** The share of one namespace. Its further entries count as the newest, so they take no room from other namespaces. */
const SHARE_BYTES = MAX_OBJECT_BYTES / 8

/**
 * Chooses the entries that a ConfigMap and a Secret can hold, the older first (docs/reference/kubernetes.md#delivery).
 * Entries without room still hold their paths, as long as there is room for that.
 */
export function fitCapacity(settings: object, sealed: readonly SealedEntry[]): FittedConfig {
  const all = arranger(settings, sealed)(2 * sealed.length)
  if (fits(all)) return { ...all, crowdedOut: new Set() }
  const queue = queued(sealed)
  const arrange = arranger(settings, queue)
  const most = largest(2 * sealed.length, (k) => fits(arrange(k)))
  const rest = queue.slice(Math.max(0, most - sealed.length))
  const crowded = rest.filter(({ problems, tooLarge }) => problems.length === 0 && tooLarge === undefined)
  return { ...arrange(most), crowdedOut: new Set(crowded.map(({ path }) => path)) }
}

/** Orders entries by age, those beyond their namespace's share after all others. */
function queued(aged: readonly SealedEntry[]): readonly SealedEntry[] {
  const taken = new Map<string, number>()
  const isWithin = aged.map((entry) => {
    if (entry.tenant === undefined) return true
    const sum = (taken.get(entry.tenant) ?? 0) + costOf(entry)
    taken.set(entry.tenant, sum)
    return sum <= SHARE_BYTES
  })
  return [...aged.filter((_, age) => isWithin[age]), ...aged.filter((_, age) => !isWithin[age])]
}

type ArrangedConfig = Pick<FittedConfig, 'text' | 'entries'>

/**
 * Returns a function k → sorted file. Of n entries the first k hold their paths for k ≤ n; above n, the first k − n
 * work and the others hold their paths.
 */
function arranger(settings: object, aged: readonly SealedEntry[]): (k: number) => ArrangedConfig {
  const start = JSON.stringify({ ...settings, routers: [] }).slice(0, -'[]}'.length)
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
    return { entries, text: `${start}[${entries.map(({ text }) => text).join(',')}]}` }
  }
}

function fits({ text, entries }: ArrangedConfig): boolean {
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_TEXT_BYTES) return false
  // Level 1 packs least, so a text that fits at level 1 fits as it will be written.
  if (bytes > MAX_OBJECT_BYTES && gzipSync(text, { level: 1 }).length > MAX_OBJECT_BYTES) return false
  return fitsSecret(new Map(entries.flatMap((entry) => entry.values)).values())
}

/** Returns whether one Secret holds these texts, each under a name of 18 characters. */
export function fitsSecret(texts: Iterable<string>): boolean {
  const bytes = [...texts].map((text) => Buffer.byteLength(text))
  const sum = bytes.reduce((total, one) => total + one, 0)
  return sum <= MAX_OBJECT_BYTES && sum + bytes.length * KEY_BYTES <= MAX_STORED_BYTES
}

/** Returns the bytes of an entry in the unpacked file and of its values in the Secret. */
function costOf({ text, values }: SealedEntry): number {
  return values.reduce((sum, [, value]) => sum + Buffer.byteLength(value) + KEY_BYTES, Buffer.byteLength(text))
}

/** Returns the largest k up to `most` for which `holds` is true; 0 where there is none. */
function largest(most: number, holds: (k: number) => boolean): number {
  let [low, high] = [0, most]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (holds(middle)) low = middle
    else high = middle - 1
  }
  return low
}
