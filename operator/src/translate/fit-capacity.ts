import { gzipSync } from 'node:zlib'
import { heldSeal, type SealedEntry } from './routers/seal-entries.ts'

export type Fitted = {
  /** gl_config.json. */
  readonly text: string
  readonly entries: readonly SealedEntry[]
  /** Paths of those that found no room, through no fault of their own. */
  readonly crowdedOut: ReadonlySet<string>
}

/** A ConfigMap and a Secret hold 1 MiB of data each; the difference is for what else stands there. */
const MOST_OBJECT_BYTES = 1_000_000
/** The gateway unpacks at most 64 MiB; a quarter of it leaves both sides room for their copies. */
const MOST_TEXT_BYTES = 16 * 1024 * 1024
/** etcd takes 1.5 MiB a request; a key of a Secret stands there twice, once as a managed field. */
const MOST_STORED_BYTES = 1_450_000
const KEY_BYTES = 56

/** What a namespace has beyond this much counts as newer than what others have: it can't keep them out. */
const SHARE_BYTES = MOST_OBJECT_BYTES / 8

/**
 * Chooses the entries that a ConfigMap and a Secret can hold, the older first (docs/reference/kubernetes.md#delivery). The
 * newest stay out; they hold their paths as long as there is room for that.
 */
export function fitCapacity(settings: object, sealed: readonly SealedEntry[]): Fitted {
  const all = arranger(settings, sealed)(2 * sealed.length)
  if (fits(all)) return { ...all, crowdedOut: new Set() }
  const queue = queued(sealed)
  const arrange = arranger(settings, queue)
  const most = largest(2 * sealed.length, (k) => fits(arrange(k)))
  const rest = queue.slice(Math.max(0, most - sealed.length))
  const crowded = rest.filter(({ problems, tooLarge }) => problems.length === 0 && !tooLarge)
  return { ...arrange(most), crowdedOut: new Set(crowded.map(({ path }) => path)) }
}

/** By age, but what a namespace has beyond its share comes after all that is within somebody's. */
function queued(aged: readonly SealedEntry[]): readonly SealedEntry[] {
  const taken = new Map<string, number>()
  const isWithin = aged.map((one) => {
    if (one.tenant === undefined) return true
    const sum = (taken.get(one.tenant) ?? 0) + costOf(one)
    taken.set(one.tenant, sum)
    return sum <= SHARE_BYTES
  })
  return [...aged.filter((_, age) => isWithin[age]), ...aged.filter((_, age) => !isWithin[age])]
}

type Arranged = Pick<Fitted, 'text' | 'entries'>

/** k → the file, sorted: of n entries up to n hold their paths and none works, above n that many more work. */
function arranger(settings: object, aged: readonly SealedEntry[]): (k: number) => Arranged {
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
    const entries = sorted.filter(([age]) => age < k).map(([age, one]) => (age < working ? one : hold(one)))
    return { entries, text: `${start}[${entries.map(({ text }) => text).join(',')}]}` }
  }
}

function fits({ text, entries }: Arranged): boolean {
  const bytes = Buffer.byteLength(text)
  if (bytes > MOST_TEXT_BYTES) return false
  // The fastest packing is the largest: what fits so fits as it will be written.
  if (bytes > MOST_OBJECT_BYTES && gzipSync(text, { level: 1 }).length > MOST_OBJECT_BYTES) return false
  return fitsSecret(new Map(entries.flatMap((entry) => entry.values)).values())
}

/** Whether one Secret holds these texts, each under a name of 18 characters. */
export function fitsSecret(texts: Iterable<string>): boolean {
  const bytes = [...texts].map((text) => Buffer.byteLength(text))
  const sum = bytes.reduce((total, one) => total + one, 0)
  return sum <= MOST_OBJECT_BYTES && sum + bytes.length * KEY_BYTES <= MOST_STORED_BYTES
}

/** Bytes in the file, as if nothing packed it, and beside it. */
function costOf({ text, values }: SealedEntry): number {
  return values.reduce((sum, [, value]) => sum + Buffer.byteLength(value) + KEY_BYTES, Buffer.byteLength(text))
}

/** The largest k up to `most` that still holds; 0 where none does. */
function largest(most: number, holds: (k: number) => boolean): number {
  let [low, high] = [0, most]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (holds(middle)) low = middle
    else high = middle - 1
  }
  return low
}
