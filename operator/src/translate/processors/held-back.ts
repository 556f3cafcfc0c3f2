import type { Snapshot } from '../../model/snapshot.ts'
import { type BuiltEntry, heldEntry } from '../routers/build-entry.ts'
import type { Steps } from '../steps.ts'
import { isNeverRead } from '../unreadable.ts'
import type { ProcessorAcceptance } from './accept-processors.ts'
import type { LiveEntries } from './enable-call-points.ts'
import type { SubjectHolders } from './kept-processor.ts'
import { liveSubject } from './processor-names.ts'

/** Path of a Router → the required Processor for which it waits. */
export type HeldBack = ReadonlyMap<string, string>

/**
 * Returns the Routers that wait for a required Processor whose spec was never read. Only the live file tells which calls
 * that Processor judges. A Router that doesn't work in the live file may be one of its Routers, unless the live call
 * points name its path already, and its calls must not bypass the Processor.
 */
export function* heldBack(
  built: readonly BuiltEntry[],
  holders: SubjectHolders,
  { snapshot, live }: { readonly snapshot: Snapshot; readonly live: LiveEntries },
): Steps<HeldBack> {
  const held = new Map<string, string>()
  for (const acceptance of new Set(holders.values())) {
    const named = pathsOfUnread(acceptance, { snapshot, live })
    if (named === undefined) continue
    for (const { entry } of built) {
      const { path } = entry
      const isHeld = !named.has(path) && !works(path, snapshot) && !('disabled' in entry)
      if (isHeld && !held.has(path)) held.set(path, acceptance.processor.metadata.name)
    }
    yield
  }
  return held
}

/** Returns the entries, of which those that are held back only hold their paths. */
export function withHeldBack(
  built: readonly BuiltEntry[],
  held: HeldBack,
  memory: WeakMap<BuiltEntry, BuiltEntry>,
): readonly BuiltEntry[] {
  if (held.size === 0) return built
  return built.map((one) => {
    if (!held.has(one.entry.path)) return one
    const known = memory.get(one) ?? { ...one, entry: heldEntry(one.entry.path), values: new Map() }
    memory.set(one, known)
    return known
  })
}

/** Returns the paths on which a required Processor that was never read is called; undefined: it is another one. */
function pathsOfUnread(
  { processor }: ProcessorAcceptance,
  { snapshot, live }: { readonly snapshot: Snapshot; readonly live: LiveEntries },
): ReadonlySet<string> | undefined {
  // A Mock is called on replays only, which are made from the live file.
  if (!isNeverRead(processor) || processor.spec.type === 'Mock') return undefined
  const points = (live.get(liveSubject(processor, snapshot.gateway)) ?? []).filter(({ entry }) => entry.required)
  return points.length === 0 ? undefined : new Set(points.flatMap(({ entry }) => entry.routers ?? []))
}

function works(path: string, { liveRouters }: Snapshot): boolean {
  const entry = liveRouters?.get(path)
  return entry !== undefined && !('disabled' in entry)
}
