import type { ProcessorEntry } from '@llm-gateway/conf'
import type { LiveCallPoint, Snapshot } from '../../model/snapshot.ts'
import { isServing } from '../judge-pods.ts'
import type { Steps } from '../steps.ts'
import type { ProcessorAcceptance } from './accept-processors.ts'
import { callPointOf, isRequired } from './call-points.ts'
import { liveSubject } from './processor-names.ts'
import type { ProcessorResolution } from './resolve-processor.ts'
import type { RouterPaths } from './router-paths.ts'
import { type RowEntry, routersOf, type WrittenEntry } from './row-entries.ts'

/** Subject → its entries in the live file. */
export type LiveEntries = ReadonlyMap<string, readonly LiveCallPoint[]>
type LiveContext = { readonly snapshot: Snapshot; readonly live: LiveEntries }

/**
 * Returns whether an accepted Processor's call points may stand in the file. A required call point is written once its
 * Deployment was Available. The call point then stays even when the Processor's pods end, so that no call bypasses the
 * processor (docs/reference/kubernetes.md#processors). The live file shows whether it was written; where that file was
 * deleted, the Processor's status does.
 */
export function mayEnable(
  { processor }: ProcessorAcceptance,
  { templateResolved }: ProcessorResolution,
  { snapshot, live }: LiveContext,
): boolean {
  const deployment = snapshot.processorDeployments.get(processor.metadata.name)
  if (!isRequired(processor)) return templateResolved || deployment !== undefined
  const isIn = ofSubject(processor, { snapshot, live }).some(({ entry }) => entry.required)
  return isServing(deployment) || isIn || wasProgrammed(processor)
}

/**
 * Returns the entries that stay in the live file: those of a required Processor that is refused now, since calls must not
 * bypass it, and those of a Processor that becomes required before its pods are ready. `paths` are those of the present
 * Routers: one that was made meanwhile must not bypass a required processor either.
 */
export function keptEntries(
  { processor, reason }: ProcessorAcceptance,
  around: LiveContext,
  paths: RouterPaths,
): readonly RowEntry[] {
  const live = ofSubject(processor, around)
  if (reason === 'Accepted' ? !isRequired(processor) : !live.some(({ entry }) => entry.required)) return []
  // Kept entries get a row of their own: they weren't checked against new members of their previous row.
  return live.map(({ phase, entry }) => {
    const order = (callPointOf(processor, phase)?.order ?? 0) + 0.5
    const named = entry.required ? routersOf(processor, phase, paths) : []
    return { phase, entry: keptEntry(withoutDeleted(entry, paths), named), order }
  })
}

/**
 * Drops paths that no Router has any more. Otherwise the list would grow by every path that there ever was. A Router that
 * is refused for a while still has its path: its calls must not bypass the Processor once it is accepted again.
 */
function withoutDeleted(entry: ProcessorEntry, { claimed }: RouterPaths): ProcessorEntry {
  const { routers } = entry
  return routers === undefined ? entry : { ...entry, routers: routers.filter((path) => claimed.has(path)) }
}

/**
 * Returns an entry of the live file as it is kept, also for the paths `named`. A full file may leave out a named path,
 * since the next translation names it again.
 */
export function keptEntry(entry: ProcessorEntry, named: readonly string[] = []): WrittenEntry {
  const { routers, reroute_to = [] } = entry
  const kept = new Set(routers)
  for (const path of named) kept.delete(path)
  for (const path of reroute_to) kept.add(path)
  const all = [...new Set([...(routers ?? []), ...named])].sort()
  return { ...entry, ...(routers === undefined ? {} : { routers: all }), kept }
}

function ofSubject(processor: Processor, { snapshot, live }: LiveContext): readonly LiveCallPoint[] {
  return live.get(liveSubject(processor, snapshot.gateway)) ?? []
}

function wasProgrammed({ metadata, status }: Processor): boolean {
  const before = status.conditions?.find(({ type }) => type === 'Programmed')
  return before?.status === 'True' && before.observedGeneration === metadata.generation
}

/** Returns the entries of the live file by subject, equal ones of a subject once. */
export function* liveEntries(points: readonly LiveCallPoint[]): Steps<LiveEntries> {
  const live = new Map<string, Map<string, LiveCallPoint>>()
  for (const point of points) {
    const { entry } = point
    const own = live.get(entry.service_bus_topic) ?? new Map<string, LiveCallPoint>()
    live.set(entry.service_bus_topic, own)
    const text = JSON.stringify([point.phase, entry])
    if (!own.has(text)) own.set(text, point)
    yield
  }
  return new Map([...live].map(([subject, own]) => [subject, [...own.values()]]))
}

type Processor = ProcessorAcceptance['processor']
