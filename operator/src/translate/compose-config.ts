import { createHash } from 'node:crypto'
import { type FileSettings, FileStart } from './file-start.ts'
import { fitCapacity } from './fit-capacity.ts'
import type { Problem } from './problem.ts'
import type { BuiltEntry, EntryLimit } from './routers/build-entry.ts'
import { type SealedEntry, type SealMemory, sealEntries } from './routers/seal-entries.ts'
import type { Steps } from './steps.ts'
import { textPieces } from './text-pieces.ts'

/** gl_config.json as text, and the digests that the gateway will report of it. */
export type ComposedConfig = {
  /** "" where not even a file without Routers fits. */
  readonly text: string
  /** `sha256:<hex>` of the text (docs/reference/configuration-rules.md#reload). */
  readonly digest: string
  readonly values: ReadonlyMap<string, string>
  /** Router path → SHA-256 of its entry, hex; where no file fits, of the entry that a file in use may have. */
  readonly entries: ReadonlyMap<string, string>
  /** Router path → the problems because of which its entry only holds the path. */
  readonly problems: ReadonlyMap<string, readonly Problem[]>
  /** Router path → problems of sources that couldn't be read this time. */
  readonly readFailures: ReadonlyMap<string, readonly Problem[]>
  /** Path of a Router that is too large → the limit that it exceeds. */
  readonly tooLarge: ReadonlyMap<string, EntryLimit>
  /** Paths of valid Routers that found no room. */
  readonly crowdedOut: ReadonlySet<string>
}

/**
 * Joins settings and entries. Older entries come first where room is short. Entries that were sealed before come from
 * `memory`.
 */
export function* composeConfig(
  settings: FileSettings,
  built: readonly BuiltEntry[],
  memory: SealMemory = new WeakMap(),
): Steps<ComposedConfig> {
  const sealed = withOneTextPerName(yield* sealEntries(built, memory))
  const { text, entries, crowdedOut } = yield* fitCapacity(new FileStart(settings), sealed)
  return {
    text,
    digest: `sha256:${yield* hashOf(text)}`,
    values: sorted(new Map(entries.flatMap(({ values }) => values))),
    entries: new Map((text === '' ? sealed : entries).map(({ path, hash }) => [path, hash])),
    problems: new Map(sealed.map(({ path, problems }) => [path, problems])),
    readFailures: new Map(sealed.map(({ path, readFailures }) => [path, readFailures])),
    tooLarge: new Map(
      sealed.flatMap(({ path, tooLarge }) => (tooLarge === undefined ? [] : [[path, tooLarge] as const])),
    ),
    crowdedOut,
  }
}

/** The characters that are hashed in one step. A text may have 16 Mi. */
const HASHED_AT_ONCE_CHARACTERS = 1024 * 1024

function* hashOf(text: string): Steps<string> {
  const hash = createHash('sha256')
  for (const piece of textPieces(text, HASHED_AT_ONCE_CHARACTERS)) {
    hash.update(piece)
    yield
  }
  return hash.digest('hex')
}

function sorted(values: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...values].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * Refuses an entry whose value has the name of another value. A name holds 16 digits of a hash, so somebody could find
 * a second place with the same name, and must not get that value. An entry of the live file gets the newer text of its
 * value, since the key was rotated.
 */
function withOneTextPerName(sealed: readonly SealedEntry[]): readonly SealedEntry[] {
  const texts = new Map<string, string>()
  const isFree = ([name, text]: readonly [string, string]) => (texts.get(name) ?? text) === text
  const judged = sealed.map((entry) => {
    if (entry.kept) return entry
    if (!entry.values.every(isFree)) {
      const held = { ...entry.held, problems: [TAKEN] }
      return { ...held, held }
    }
    for (const [name, text] of entry.values) texts.set(name, text)
    return entry
  })
  return judged.map((entry) => {
    if (!entry.kept || entry.values.every(isFree)) return entry
    return { ...entry, values: entry.values.map(([name, text]) => [name, texts.get(name) ?? text] as const) }
  })
}

const TAKEN: Problem = {
  reason: 'InvalidValue',
  field: 'env',
  detail: 'another value has the same internal name; rename the key of this value',
}
