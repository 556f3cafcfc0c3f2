import { gzipSync } from 'node:zlib'
import { heldSeal, type SealedEntry } from './routers/seal-entries.ts'

export type Fitted = {
  /** gl_config.json. */
  readonly text: string
  readonly entries: readonly SealedEntry[]
  /** Path → why its Router stays out. */
  readonly leftOut: ReadonlyMap<string, string>
  /** How many of them found no room: theirs is no fault of their own. */
  readonly crowdedOut: number
}

/** A ConfigMap and a Secret hold 1 MiB of data each; the difference is for what else stands there. */
const MOST_OBJECT_BYTES = 1_000_000
/** The gateway unpacks at most 64 MiB; a quarter of it leaves both sides room for their copies. */
const MOST_TEXT_BYTES = 16 * 1024 * 1024
/** etcd takes 1.5 MiB a request; a key of a Secret stands there twice, once as a managed field. */
const MOST_STORED_BYTES = 1_450_000
const KEY_BYTES = 56
/** So that nobody fills the file with a few Routers of his: they are some hundred bytes each. */
const MOST_ENTRY_BYTES = 16 * 1024

const FULL = 'The configuration of the gateway is full: the newest Routers stay out.'
const TOO_LARGE = `With its values it has more than ${MOST_ENTRY_BYTES} bytes.`

/**
 * What a ConfigMap and a Secret can hold of the entries, the older first. Over capacity the newest stay out (kubernetes,
 * 3); they hold their paths as long as there is room for that.
 */
export function fitCapacity(settings: object, sealed: readonly SealedEntry[]): Fitted {
  const large = new Map(sealed.filter(isTooLarge).map(({ path }) => [path, TOO_LARGE]))
  const bounded = sealed.map((one) => (large.has(one.path) ? heldSeal(one) : one))
  const all = { text: composeText(settings, bounded), entries: bounded, leftOut: large, crowdedOut: 0 }
  if (fits(all)) return all
  const held = bounded.map(heldSeal)
  const count = sealed.length
  // Up to `count` that many hold their paths and none works, above it the difference works and the rest holds.
  const arranged = (k: number) => {
    const working = Math.max(0, k - count)
    const entries = [...bounded.slice(0, working), ...held.slice(working, k)]
    return { text: composeText(settings, entries), entries }
  }
  const most = largest(2 * count, (k) => fits(arranged(k)))
  const out = bounded
    .slice(Math.max(0, most - count))
    .filter(({ path, problems }) => problems.length === 0 && !large.has(path))
  const leftOut = new Map([...large, ...out.map(({ path }) => [path, FULL] as const)])
  return { ...arranged(most), leftOut, crowdedOut: out.length }
}

function composeText(settings: object, entries: readonly SealedEntry[]): string {
  const sorted = entries.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const start = JSON.stringify({ ...settings, routers: [] }).slice(0, -'[]}'.length)
  return `${start}[${sorted.map(({ text }) => text).join(',')}]}`
}

function fits({ text, entries }: Pick<Fitted, 'text' | 'entries'>): boolean {
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

function isTooLarge({ text, values }: SealedEntry): boolean {
  return values.reduce((sum, [, value]) => sum + Buffer.byteLength(value), Buffer.byteLength(text)) > MOST_ENTRY_BYTES
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
