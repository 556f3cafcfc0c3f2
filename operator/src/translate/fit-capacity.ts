import { MAX_ROUTERS_SIZE } from '@llm-gateway/conf'
import { KEY_BYTES, MAX_OBJECT_BYTES, MAX_STORED_BYTES, MAX_TEXT_BYTES } from './file-limits.ts'
import type { FileStart } from './file-start.ts'
import { packedSize } from './packed-size.ts'
import { queueByShare } from './queue-by-share.ts'
import type { Seal, SealedEntry } from './routers/seal-entries.ts'
import type { Steps } from './steps.ts'

export type FittedConfig = {
  /** The text of gl_config.json; "" where not even a file without Routers fits. */
  readonly text: string
  readonly entries: readonly Seal[]
  /** Paths of valid entries that found no room. */
  readonly crowdedOut: ReadonlySet<string>
}

/** The room for the gateway's own router `/echo/`, which takes less. */
const ECHO_SIZE = 1024

/**
 * Chooses the entries that a ConfigMap and a Secret can hold, the older first (docs/reference/kubernetes.md#delivery).
 * Entries without room still hold their paths, as long as there is room for that. The lists of rows don't name them, so
 * that rows for all Routers take no more room than the Routers that work.
 */
export function* fitCapacity(start: FileStart, sealed: readonly SealedEntry[]): Steps<FittedConfig> {
  const all = arranger(start, sealed)(2 * sealed.length)
  if (yield* fits(all)) return { entries: all.entries, text: yield* textOf(all), crowdedOut: new Set() }
  const queue = yield* queueByShare(sealed, yield* start.listed())
  const arrange = arranger(start, queue)
  const most = yield* largest(2 * sealed.length, (k) => fits(arrange(k)))
  const rest = queue.slice(Math.max(0, most - sealed.length))
  const crowded = rest.filter(({ problems, tooLarge }) => problems.length === 0 && tooLarge === undefined)
  const fitted = arrange(most)
  if (most === 0 && !(yield* fits(fitted))) return { entries: [], text: '', crowdedOut: new Set() }
  return { entries: fitted.entries, text: yield* textOf(fitted), crowdedOut: new Set(crowded.map(pathOf)) }
}

function pathOf({ path }: SealedEntry): string {
  return path
}

type ArrangedConfig = {
  readonly start: FileStart
  /** The paths that no list of a row names. */
  readonly leftOut: ReadonlySet<string>
  readonly entries: readonly Seal[]
}

/**
 * Returns a function k → sorted file. Of n entries the first k hold their paths for k ≤ n; above n, the first k − n
 * work and the others hold their paths.
 */
function arranger(start: FileStart, aged: readonly SealedEntry[]): (k: number) => ArrangedConfig {
  const sorted = [...aged.entries()].sort(([, a], [, b]) => (a.path < b.path ? -1 : 1))
  return (k) => {
    const working = k - aged.length
    const entries = sorted.filter(([age]) => age < k).map(([age, entry]) => (age < working ? entry : entry.held))
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
  if (characters > MAX_TEXT_BYTES || size > MAX_ROUTERS_SIZE) return false
  yield
  if (!fitsSecret(valuesOf(entries))) return false
  yield
  const text = Buffer.from(yield* textOf(arranged))
  yield
  return text.length <= MAX_TEXT_BYTES && (yield* packs(text))
}

/** Returns whether a text fits as it is or packed. A smaller text isn't packed. */
function* packs(text: Buffer): Steps<boolean> {
  return text.length <= MAX_OBJECT_BYTES || (yield* packedSize(text, MAX_OBJECT_BYTES)) <= MAX_OBJECT_BYTES
}

/** Returns the text of each name once. Entries with a name in common have one text for it. */
function* valuesOf(entries: readonly Seal[]): Iterable<string> {
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
